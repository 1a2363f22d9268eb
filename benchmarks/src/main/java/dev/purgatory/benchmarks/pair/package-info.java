/**
 * Compares two versions of the library in one JVM, in turns of a few milliseconds.
 *
 * <p>Reading order: {@link dev.purgatory.benchmarks.pair.SideBySide}; {@link
 * dev.purgatory.benchmarks.pair.Loop}, which lists what is compared.
 */
@NullMarked
package dev.purgatory.benchmarks.pair;

import org.jspecify.annotations.NullMarked;
