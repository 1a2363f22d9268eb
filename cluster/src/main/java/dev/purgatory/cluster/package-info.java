/**
 * Starts, watches, loads and disturbs real Kafka brokers on this machine.
 *
 * <pre>
 *   run: the demo, the soak and the rolling installation, which use all of the below
 *
 *   SingleBroker -- probe: reads a node's counters over JMX
 *                     |
 *                     +-- node: a Kafka node in its own process, and clusters of nodes
 *                     |
 *   disturb ----------+   kills, pauses and isolates nodes
 *
 *   load: producers and consumers, and a ledger of every message
 * </pre>
 *
 * <p>Reading order: {@link dev.purgatory.cluster.node.KafkaNode}, {@link
 * dev.purgatory.cluster.node.KafkaCluster}, {@link dev.purgatory.cluster.probe.ClusterMonitor},
 * {@link dev.purgatory.cluster.load.ClusterLoad}, {@link
 * dev.purgatory.cluster.disturb.Disturbance}, {@link dev.purgatory.cluster.run.SoakRun}.
 */
@NullMarked
package dev.purgatory.cluster;

import org.jspecify.annotations.NullMarked;
