/**
 * Runs the measurements, each in a separate JVM and several times. Contenders take turns.
 *
 * <p>Reading order: {@link dev.purgatory.benchmarks.run.Bench}, {@code Steps}, {@code Plan}, {@link
 * dev.purgatory.benchmarks.run.Job}, {@code Fork}, {@link
 * dev.purgatory.benchmarks.run.Environments}. The benchmark of real brokers also uses {@link
 * dev.purgatory.benchmarks.run.Turns}.
 */
@NullMarked
package dev.purgatory.benchmarks.run;

import org.jspecify.annotations.NullMarked;
