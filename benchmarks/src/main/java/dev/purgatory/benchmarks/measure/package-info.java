/**
 * The measurements. Each runs in a JVM of its own, for one contender, and prints what it has
 * measured.
 *
 * <p>Reading order: {@link dev.purgatory.benchmarks.measure.Main}, {@link
 * dev.purgatory.benchmarks.measure.Measurements}, and then any of the measurements.
 */
@NullMarked
package dev.purgatory.benchmarks.measure;

import org.jspecify.annotations.NullMarked;
