/** Long polls over HTTP with Javalin. */
@NullMarked
package dev.purgatory.examples.javalin;

import org.jspecify.annotations.NullMarked;
