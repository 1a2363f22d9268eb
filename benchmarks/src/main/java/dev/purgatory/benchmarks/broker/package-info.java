/**
 * Measures real brokers: stock brokers and brokers with the drop-in, in turn, under the same load.
 *
 * <p>The brokers run in processes of their own, with the class path that the cluster module
 * provides. The JVMs of the other benchmarks have neither these classes nor a broker.
 *
 * <p>Reading order: {@link dev.purgatory.benchmarks.broker.BrokerOptions} and {@code BrokerTurns}
 * say what to run; {@link dev.purgatory.benchmarks.broker.BrokerBench} runs it; {@code TestCluster}
 * is what is measured; {@code PollsMeasurement}, {@code HeldMeasurement} and {@code
 * WritesMeasurement} measure. {@code FetchClient} and {@code FetchConnection} are the consumers.
 * {@code Profile} computes the share of the purgatory's own code in the processor time.
 */
@NullMarked
package dev.purgatory.benchmarks.broker;

import org.jspecify.annotations.NullMarked;
