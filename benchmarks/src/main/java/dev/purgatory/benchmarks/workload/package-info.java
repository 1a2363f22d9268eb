/**
 * The workload of Kafka's redesign proposal: requests arrive as a Poisson process at a target rate,
 * each takes a time drawn from a log-normal distribution, and a separate thread completes those
 * that take less than the timeout.
 *
 * <p>Reading order: {@link dev.purgatory.benchmarks.workload.Mix}, {@link
 * dev.purgatory.benchmarks.workload.Schedule}, {@link dev.purgatory.benchmarks.workload.Generator},
 * {@link dev.purgatory.benchmarks.workload.Trigger}, {@code Completions}, {@link
 * dev.purgatory.benchmarks.workload.Generators}.
 */
@NullMarked
package dev.purgatory.benchmarks.workload;

import org.jspecify.annotations.NullMarked;
