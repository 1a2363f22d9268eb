package dev.purgatory.benchmarks.broker;

import dev.purgatory.cluster.node.KafkaCluster;
import dev.purgatory.cluster.node.KafkaNode;
import dev.purgatory.cluster.node.NodeFailure;
import dev.purgatory.cluster.node.NodeSetup;
import dev.purgatory.cluster.probe.ClusterMonitor;
import dev.purgatory.cluster.probe.NodeProbe;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** Fresh nodes of a contender, and looks into them. */
final class TestCluster implements AutoCloseable {
  /** Those of Kafka's own start script. */
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
          // Each consumer has its fetch session, however many there are.
          "max.incremental.fetch.session.cache.slots", "20000");

  private static final Duration START_PATIENCE = Duration.ofSeconds(60);

  private final BrokerTurn turn;
  private final Path folder;
  private final KafkaCluster cluster;

  /** Closed by a thread of its own where the process is told to end. */
  private final List<NodeProbe> probes = new CopyOnWriteArrayList<>();

  /**
   * A cluster that is not running yet.
   *
   * @param turn whose load it is for
   * @param folder where its files go
   */
  TestCluster(BrokerTurn turn, Path folder) {
    this.turn = turn;
    this.folder = folder;
    this.cluster =
        KafkaCluster.of(
            turn.load().nodes(),
            folder,
            new NodeSetup(turn.broker().classPath(), SETTINGS, JVM_OPTIONS));
  }

  /**
   * Starts the nodes and waits until they serve.
   *
   * @throws NodeFailure when they do not, or do not run what they should
   * @throws IOException when one of them cannot be looked into
   * @throws InterruptedException when the waiting thread is interrupted
   */
  void start() throws IOException, InterruptedException {
    cluster.start();
    try (ClusterMonitor monitor = new ClusterMonitor(cluster.nodes())) {
      monitor.awaitRunning(START_PATIENCE);
      monitor.identify(turn.broker().dropIn());
    }
    for (KafkaNode node : cluster.nodes()) {
      probes.add(NodeProbe.attach(node.pid()));
    }
  }

  /** Where Kafka's own clients connect. */
  String bootstrap() {
    return cluster.bootstrap();
  }

  /** Where clients of the first node connect. */
  InetSocketAddress address() {
    return new InetSocketAddress(
        InetAddress.getLoopbackAddress(), cluster.nodes().get(0).config().brokerPort());
  }

  /** Looks into the first node. */
  NodeProbe probe() {
    return probes.get(0);
  }

  /**
   * Processor time of all nodes so far.
   *
   * @throws IOException when one is gone
   */
  Duration cpu() throws IOException {
    Duration sum = Duration.ZERO;
    for (NodeProbe probe : probes) {
      sum = sum.plus(probe.cpu());
    }
    return sum;
  }

  /** What the cluster's files lie in. */
  Path folder() {
    return folder;
  }

  /**
   * What went wrong here, with the log to look into: that of a node that has ended, or else of the
   * first.
   */
  NodeFailure failure(Exception cause) {
    Optional<KafkaNode> dead = cluster.nodes().stream().filter(node -> !node.isAlive()).findFirst();
    String end = dead.map(node -> "node " + node.config().id() + " has ended: ").orElse("");
    NodeFailure failure =
        new NodeFailure(end + cause, dead.orElse(cluster.nodes().get(0)).config().log());
    failure.initCause(cause);
    return failure;
  }

  @Override
  public void close() {
    cluster.close();
    probes.forEach(NodeProbe::close);
  }
}
