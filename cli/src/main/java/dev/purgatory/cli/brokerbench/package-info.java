/**
 * The benchmark in the real broker: stock brokers and brokers with the drop-in, in turn, under the
 * same load.
 *
 * <p>Reading order: {@link dev.purgatory.cli.brokerbench.Settings} and {@code Jobs}, what is to be
 * run; {@link dev.purgatory.cli.brokerbench.BrokerBench}, which runs it; {@code TestCluster}, what
 * is measured; {@code PollsMeasurement}, {@code HeldMeasurement} and {@code WritesMeasurement},
 * how. Below these, {@code FetchClient} and {@code FetchConnection} are the consumers, and {@code
 * Profile} tells from a recording what share the purgatory's own code has.
 */
@NullMarked
package dev.purgatory.cli.brokerbench;

import org.jspecify.annotations.NullMarked;
