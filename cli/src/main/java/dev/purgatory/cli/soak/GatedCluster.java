package dev.purgatory.cli.soak;

import dev.purgatory.cli.node.Cleanup;
import dev.purgatory.cli.node.KafkaCluster;
import dev.purgatory.cli.node.KafkaNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A cluster each node of which is reached through gates alone.
 *
 * @param cluster the cluster
 * @param nodes its nodes with their gates, by id
 */
record GatedCluster(KafkaCluster cluster, List<GatedNode> nodes) {
  private static final List<String> JVM_OPTIONS = List.of("-Xmx384m", "-XX:TieredStopAtLevel=1");

  /** Soaks are long: what is small on disk stays there until it is read back at the end. */
  private static final Map<String, String> SETTINGS =
      Map.of(
          "auto.create.topics.enable", "false",
          "unclean.leader.election.enable", "false",
          "compression.type", "lz4",
          "log.retention.ms", "-1",
          "broker.session.timeout.ms", "3000",
          "broker.heartbeat.interval.ms", "500",
          "replica.lag.time.max.ms", "3000",
          "log.cleaner.dedupe.buffer.size", "4194304");

  /**
   * A cluster that is not running yet.
   *
   * @param size how many nodes
   * @param folder where each node gets a folder
   * @param classPath where the nodes' classes are
   * @param cleanup closes it
   */
  static GatedCluster of(int size, Path folder, String classPath, Cleanup cleanup) {
    List<Gate> gates = new ArrayList<>();
    KafkaCluster cluster =
        KafkaCluster.behindGates(
            size,
            folder,
            classPath,
            SETTINGS,
            JVM_OPTIONS,
            target -> {
              Gate gate = cleanup.add(new Gate(target));
              gates.add(gate);
              return gate.port();
            });
    cleanup.add(cluster);
    return new GatedCluster(cluster, gated(cluster.nodes(), gates));
  }

  /** The gates of all brokers come first, then those of all controllers. */
  private static List<GatedNode> gated(List<KafkaNode> nodes, List<Gate> gates) {
    List<GatedNode> gated = new ArrayList<>();
    for (int i = 0; i < nodes.size(); i++) {
      gated.add(new GatedNode(nodes.get(i), gates.get(i), gates.get(nodes.size() + i)));
    }
    return gated;
  }
}
