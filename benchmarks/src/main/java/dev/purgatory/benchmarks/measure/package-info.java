/**
 * The measurements. Each runs in its own JVM, for one contender, and prints samples.
 *
 * <p>Reading order: {@link dev.purgatory.benchmarks.measure.Main}, {@link
 * dev.purgatory.benchmarks.measure.Measurements}, and then any of the measurements.
 */
@NullMarked
package dev.purgatory.benchmarks.measure;

import org.jspecify.annotations.NullMarked;
