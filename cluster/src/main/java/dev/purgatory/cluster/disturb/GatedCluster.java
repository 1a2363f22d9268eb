package dev.purgatory.cluster.disturb;

import dev.purgatory.cluster.node.Cleanup;
import dev.purgatory.cluster.node.KafkaCluster;
import dev.purgatory.cluster.node.KafkaNode;
import dev.purgatory.cluster.node.NodeSetup;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A cluster whose nodes can only be reached through gates.
 *
 * @param cluster the cluster
 * @param nodes its nodes with their gates, by id
 */
public record GatedCluster(KafkaCluster cluster, List<GatedNode> nodes) {

  /**
   * Creates a cluster, without starting it.
   *
   * @param size the number of nodes; their ids are 1 to size
   * @param folder the folder in which each node gets its own folder
   * @param setup the class path, settings and options of the nodes
   * @param cleanup closes the cluster and its gates
   */
  public static GatedCluster of(int size, Path folder, NodeSetup setup, Cleanup cleanup) {
    List<Gate> gates = new ArrayList<>();
    KafkaCluster cluster =
        KafkaCluster.behindGates(
            size,
            folder,
            setup,
            target -> {
              Gate gate = cleanup.add(new Gate(target));
              gates.add(gate);
              return gate.port();
            });
    cleanup.add(cluster);
    return new GatedCluster(cluster, gated(cluster.nodes(), gates));
  }

  /** Expects the gates of the brokers first, followed by those of the controllers. */
  private static List<GatedNode> gated(List<KafkaNode> nodes, List<Gate> gates) {
    List<GatedNode> gated = new ArrayList<>();
    for (int i = 0; i < nodes.size(); i++) {
      gated.add(new GatedNode(nodes.get(i), gates.get(i), gates.get(nodes.size() + i)));
    }
    return gated;
  }
}
