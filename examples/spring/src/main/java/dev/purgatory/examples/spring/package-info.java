/** Long polls over HTTP with Spring Boot. */
@NullMarked
package dev.purgatory.examples.spring;

import org.jspecify.annotations.NullMarked;
