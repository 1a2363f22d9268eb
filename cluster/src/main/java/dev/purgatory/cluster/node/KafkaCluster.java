package dev.purgatory.cluster.node;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.stream.Collectors;
import org.apache.kafka.common.Uuid;

/** Some Kafka nodes that form one cluster, in one folder. */
public final class KafkaCluster implements AutoCloseable {
  private final List<KafkaNode> nodes;

  private KafkaCluster(List<KafkaNode> nodes) {
    this.nodes = List.copyOf(nodes);
  }

  /**
   * A cluster that is not running yet, on free ports.
   *
   * @param size how many nodes; their ids are 1 to size
   * @param folder where each node gets a folder
   * @param setup what the nodes run, and how
   */
  public static KafkaCluster of(int size, Path folder, NodeSetup setup) {
    return behindGates(size, folder, setup, IntUnaryOperator.identity());
  }

  /**
   * The same, but everybody, the nodes too, reaches each node through other ports than its own.
   *
   * @param gates gives the port of the gate before a port: of all brokers first, by id, and then of
   *     all controllers
   */
  public static KafkaCluster behindGates(
      int size, Path folder, NodeSetup setup, IntUnaryOperator gates) {
    List<Integer> ports = Ports.free(2 * size);
    List<Integer> reached = ports.stream().map(gates::applyAsInt).toList();
    List<String> voters = new ArrayList<>();
    for (int id = 1; id <= size; id++) {
      voters.add(NodeConfig.voter(id, reached.get(size + id - 1)));
    }
    List<KafkaNode> nodes = new ArrayList<>();
    for (int id = 1; id <= size; id++) {
      NodeConfig config =
          new NodeConfig(
              id,
              ports.get(id - 1),
              reached.get(id - 1),
              ports.get(size + id - 1),
              voters,
              folder.resolve("node-" + id),
              setup.settings());
      nodes.add(new KafkaNode(config, setup.classPath(), setup.jvmOptions()));
    }
    return new KafkaCluster(nodes);
  }

  /**
   * Starts all nodes. It takes some seconds until they serve.
   *
   * @throws NodeFailure when one cannot be prepared or started
   */
  public void start() {
    String clusterId = Uuid.randomUuid().toString();
    for (KafkaNode node : nodes) {
      node.prepare(clusterId);
      node.start();
    }
  }

  /** The nodes, by id. */
  public List<KafkaNode> nodes() {
    return nodes;
  }

  /** Where clients connect. */
  public String bootstrap() {
    return nodes.stream().map(node -> node.config().bootstrap()).collect(Collectors.joining(","));
  }

  /** Kills all nodes for good. Their data are of no more use to anybody. */
  @Override
  public void close() {
    nodes.forEach(KafkaNode::retire);
    nodes.forEach(KafkaNode::kill);
  }
}
