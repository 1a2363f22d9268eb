/**
 * A starter for Spring Boot: purgatories as beans, set up by properties.
 *
 * <p>Start reading at {@link dev.purgatory.spring.PurgatoryAutoConfiguration}. Controllers return a
 * {@link dev.purgatory.HeldFuture}, or a {@link dev.purgatory.spring.HeldResult}.
 */
@NullMarked
package dev.purgatory.spring;

import org.jspecify.annotations.NullMarked;
