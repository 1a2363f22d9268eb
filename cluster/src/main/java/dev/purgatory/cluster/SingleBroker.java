package dev.purgatory.cluster;

import dev.purgatory.cluster.node.KafkaNode;
import dev.purgatory.cluster.node.NodeConfig;
import dev.purgatory.cluster.node.NodeFailure;
import dev.purgatory.cluster.node.Ports;
import dev.purgatory.cluster.probe.NodeWatch;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Uuid;

/** A cluster of one node that is shut down cleanly. */
public final class SingleBroker implements AutoCloseable {
  private static final List<String> JVM_OPTIONS = List.of("-Xmx1g");
  private static final Duration START_PATIENCE = Duration.ofSeconds(60);
  private static final Duration STOP_PATIENCE = Duration.ofSeconds(30);

  private final KafkaNode node;

  /**
   * Creates a broker, without starting it.
   *
   * @param port the port that clients connect to
   * @param folder the folder for its files; files of an earlier broker are used again
   * @param classPath the broker's class path
   */
  public SingleBroker(int port, Path folder, String classPath) {
    // Clients never connect to the controller, so its port does not matter.
    int controllerPort = Ports.free(1).get(0);
    List<String> voters = List.of(NodeConfig.voter(1, controllerPort));
    NodeConfig config = new NodeConfig(1, port, controllerPort, voters, folder, settings());
    this.node = new KafkaNode(config, classPath, JVM_OPTIONS);
  }

  /** Sets the replicas of Kafka's internal topics to one; the default is three. */
  private static Map<String, String> settings() {
    Map<String, String> settings = new HashMap<>();
    settings.put("auto.create.topics.enable", "true");
    settings.put("offsets.topic.replication.factor", "1");
    settings.put("transaction.state.log.replication.factor", "1");
    settings.put("transaction.state.log.min.isr", "1");
    settings.put("share.coordinator.state.topic.replication.factor", "1");
    settings.put("share.coordinator.state.topic.min.isr", "1");
    settings.put("group.initial.rebalance.delay.ms", "0");
    return settings;
  }

  /**
   * Starts the broker and waits until it serves clients.
   *
   * @param dropInWanted whether the broker must run the drop-in; otherwise it must run stock Kafka
   * @return a line that describes what the broker runs
   * @throws NodeFailure if the broker does not start or runs the wrong one; the message is one line
   * @throws InterruptedException if the thread is interrupted while waiting
   */
  public String start(boolean dropInWanted) throws InterruptedException {
    node.prepare(Uuid.randomUuid().toString());
    node.start();
    return NodeWatch.identify(List.of(node), START_PATIENCE, dropInWanted).get(0);
  }

  /** Returns the only node. */
  public KafkaNode node() {
    return node;
  }

  /** Returns the address that clients connect to, as {@code host:port}. */
  public String bootstrap() {
    return node.config().bootstrap();
  }

  /** Returns the file that the broker logs to. */
  public Path log() {
    return node.config().log();
  }

  /**
   * Waits until the broker's process has ended.
   *
   * @throws InterruptedException if the thread is interrupted while waiting
   */
  public void awaitEnd() throws InterruptedException {
    node.awaitEnd();
  }

  /** Shuts the broker down. Kills it if that takes longer than 30 seconds. */
  @Override
  public void close() {
    node.retire();
    node.stop(STOP_PATIENCE);
  }
}
