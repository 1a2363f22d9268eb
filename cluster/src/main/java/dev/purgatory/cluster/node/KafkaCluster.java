package dev.purgatory.cluster.node;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.stream.Collectors;
import org.apache.kafka.common.Uuid;

/** A cluster of Kafka nodes whose files are all in one folder. */
public final class KafkaCluster implements AutoCloseable {
  private final List<KafkaNode> nodes;

  private KafkaCluster(List<KafkaNode> nodes) {
    this.nodes = List.copyOf(nodes);
  }

  /**
   * Creates a cluster on free ports, without starting it.
   *
   * @param size the number of nodes; their ids are 1 to size
   * @param folder the folder in which each node gets its own folder
   * @param setup the class path, settings and options of the nodes
   */
  public static KafkaCluster of(int size, Path folder, NodeSetup setup) {
    return behindGates(size, folder, setup, IntUnaryOperator.identity());
  }

  /**
   * Creates a cluster whose nodes are reached through gates: clients and the nodes themselves
   * connect to the ports of the gates instead of the nodes' own ports.
   *
   * @param size the number of nodes; their ids are 1 to size
   * @param folder the folder in which each node gets its own folder
   * @param setup the class path, settings and options of the nodes
   * @param gates opens a gate for a port and returns the port of the gate; called for the brokers
   *     in order of their ids and then for the controllers
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
   * Starts all nodes. It takes a few seconds until they serve clients.
   *
   * @throws NodeFailure if a node cannot be prepared or started
   */
  public void start() {
    String clusterId = Uuid.randomUuid().toString();
    for (KafkaNode node : nodes) {
      node.prepare(clusterId);
      node.start();
    }
  }

  /** Returns the nodes, in order of their ids. */
  public List<KafkaNode> nodes() {
    return nodes;
  }

  /** Returns the addresses that clients connect to, as {@code host:port,…}. */
  public String bootstrap() {
    return nodes.stream().map(node -> node.config().bootstrap()).collect(Collectors.joining(","));
  }

  /** Kills all nodes. They cannot be started again. */
  @Override
  public void close() {
    nodes.forEach(KafkaNode::retire);
    nodes.forEach(KafkaNode::kill);
  }
}
