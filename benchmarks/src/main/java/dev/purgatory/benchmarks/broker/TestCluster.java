package dev.purgatory.benchmarks.broker;

import dev.purgatory.cluster.node.KafkaCluster;
import dev.purgatory.cluster.node.KafkaNode;
import dev.purgatory.cluster.node.NodeFailure;
import dev.purgatory.cluster.node.NodeSetup;
import dev.purgatory.cluster.probe.NodeProbe;
import dev.purgatory.cluster.probe.NodeWatch;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** A fresh cluster of a contender, and probes of its nodes. */
final class TestCluster implements AutoCloseable {
  /** The options of Kafka's own start script. */
  private static final List<String> JVM_OPTIONS =
      List.of(
          "-Xms1g",
          "-Xmx1g",
          "-server",
          "-XX:+UseG1GC",
          "-XX:MaxGCPauseMillis=20",
          "-XX:InitiatingHeapOccupancyPercent=35",
          "-XX:+ExplicitGCInvokesConcurrent");

  private static final Map<String, String> SETTINGS =
      Map.of(
          "auto.create.topics.enable", "false",
          // A fetch session for each consumer.
          "max.incremental.fetch.session.cache.slots", "20000",
          // A busy machine must not fence a node, which would check all its lists.
          "broker.session.timeout.ms", "60000");

  private static final Duration START_PATIENCE = Duration.ofSeconds(60);

  private final BrokerTurn turn;
  private final KafkaCluster cluster;

  /** Thread-safe, since a shutdown hook may close the probes. */
  private final List<NodeProbe> probes = new CopyOnWriteArrayList<>();

  /**
   * Creates a cluster without starting it.
   *
   * @param turn the load and the contender
   * @param folder the folder for its files
   */
  TestCluster(BrokerTurn turn, Path folder) {
    this.turn = turn;
    Map<String, String> settings = new HashMap<>(SETTINGS);
    settings.putAll(turn.broker().settings());
    this.cluster =
        KafkaCluster.of(
            turn.load().nodes(),
            folder,
            new NodeSetup(turn.broker().classPath(), settings, JVM_OPTIONS));
  }

  /**
   * Starts the nodes and waits until they serve clients.
   *
   * @throws NodeFailure if a node does not start or runs the wrong classes
   * @throws IOException if a node cannot be attached to
   * @throws InterruptedException if the thread is interrupted while waiting
   */
  void start() throws IOException, InterruptedException {
    cluster.start();
    NodeWatch.identify(cluster.nodes(), START_PATIENCE, turn.broker().dropIn());
    for (KafkaNode node : cluster.nodes()) {
      probes.add(NodeProbe.attach(node.pid()));
    }
  }

  /** Returns the addresses that Kafka's own clients connect to. */
  String bootstrap() {
    return cluster.bootstrap();
  }

  /** Returns the address of the first node. */
  InetSocketAddress address() {
    return new InetSocketAddress(
        InetAddress.getLoopbackAddress(), cluster.nodes().get(0).config().brokerPort());
  }

  /** Returns the probe of the first node. */
  NodeProbe probe() {
    return probes.get(0);
  }

  /**
   * Returns the processor time of all nodes so far.
   *
   * @throws IOException if a node cannot be reached
   */
  NodesCpu cpu() throws IOException {
    Duration compilers = Duration.ZERO;
    Duration all = Duration.ZERO;
    for (NodeProbe probe : probes) {
      compilers = compilers.plus(probe.compilersCpu());
      all = all.plus(probe.cpu());
    }
    return new NodesCpu(all.minus(compilers), compilers);
  }

  /** Returns a failure that refers to the log of a node that has ended, or of the first node. */
  NodeFailure failure(Exception cause) {
    Optional<KafkaNode> ended =
        cluster.nodes().stream().filter(node -> !node.isAlive()).findFirst();
    String end = ended.map(node -> "node " + node.config().id() + " has ended: ").orElse("");
    NodeFailure failure =
        new NodeFailure(end + cause, ended.orElse(cluster.nodes().get(0)).config().log());
    failure.initCause(cause);
    return failure;
  }

  @Override
  public void close() {
    cluster.close();
    probes.forEach(NodeProbe::close);
  }
}
