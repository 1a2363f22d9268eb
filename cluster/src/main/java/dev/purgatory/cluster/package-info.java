/**
 * Real Kafka brokers on this machine, and what is needed to test and measure them.
 *
 * <pre>
 *   SingleBroker -- probe: reads a node's counters over JMX
 *                     |
 *                     +-- node: a Kafka node in a process of its own, a cluster of them
 *                     |
 *   disturb ----------+   kills, pauses and isolates nodes
 *
 *   load: producers and consumers, and a ledger of every message
 * </pre>
 *
 * <p>Reading order: {@link dev.purgatory.cluster.node.KafkaNode}, {@link
 * dev.purgatory.cluster.node.KafkaCluster}, {@link dev.purgatory.cluster.probe.ClusterMonitor},
 * {@link dev.purgatory.cluster.load.ClusterLoad}, {@link
 * dev.purgatory.cluster.disturb.Disturbance}.
 */
@NullMarked
package dev.purgatory.cluster;

import org.jspecify.annotations.NullMarked;
