/**
 * Runs the measurements: each in a JVM of its own, several times, contenders taking turns.
 *
 * <p>Reading order: {@link dev.purgatory.benchmarks.run.Plan}, {@link
 * dev.purgatory.benchmarks.run.Job}, {@link dev.purgatory.benchmarks.run.Runner}, {@link
 * dev.purgatory.benchmarks.run.Fork}, {@link dev.purgatory.benchmarks.run.Environments}. {@link
 * dev.purgatory.benchmarks.run.Turns} also serves the benchmark of real brokers.
 */
@NullMarked
package dev.purgatory.benchmarks.run;

import org.jspecify.annotations.NullMarked;
