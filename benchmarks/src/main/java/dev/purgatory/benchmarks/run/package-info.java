/**
 * Runs the measurements: each in a JVM of its own, several times, contenders taking turns.
 *
 * <p>Reading order: {@link dev.purgatory.benchmarks.run.Bench}, {@link
 * dev.purgatory.benchmarks.run.Plan}, {@link dev.purgatory.benchmarks.run.Job}, {@code Runner},
 * {@code Fork}, {@link dev.purgatory.benchmarks.run.Environments}. Other benchmarks whose
 * contenders take turns use {@link dev.purgatory.benchmarks.run.Turns} too.
 */
@NullMarked
package dev.purgatory.benchmarks.run;

import org.jspecify.annotations.NullMarked;
