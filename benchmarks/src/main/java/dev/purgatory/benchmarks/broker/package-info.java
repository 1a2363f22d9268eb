/**
 * Measures real brokers under the same load, with stock Kafka and with the drop-in.
 *
 * <p>The brokers run in separate processes, with the class path that the cluster module provides.
 * The JVMs of the other benchmarks have neither these classes nor a broker.
 *
 * <p>Reading order: {@link dev.purgatory.benchmarks.broker.BrokerOptions} and {@code BrokerTurns}
 * define what to run; {@link dev.purgatory.benchmarks.broker.BrokerBench} runs it; {@code
 * TestCluster} is the subject; {@code PollsMeasurement}, {@code HeldMeasurement}, {@code
 * WritesMeasurement} and {@code RetainedMeasurement} measure it.
 */
@NullMarked
package dev.purgatory.benchmarks.broker;

import org.jspecify.annotations.NullMarked;
