/**
 * Tests code that uses a purgatory, without sleeping.
 *
 * <p>{@link dev.purgatory.testkit.VirtualTime} makes purgatories whose time a test moves, and
 * reports what happened as {@link dev.purgatory.testkit.Event}s.
 */
@NullMarked
package dev.purgatory.testkit;

import org.jspecify.annotations.NullMarked;
