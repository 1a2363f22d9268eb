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

/** A cluster of one node, which stops in an orderly way. */
public final class SingleBroker implements AutoCloseable {
  private static final List<String> JVM_OPTIONS = List.of("-Xmx1g");
  private static final Duration START_PATIENCE = Duration.ofSeconds(60);
  private static final Duration STOP_PATIENCE = Duration.ofSeconds(30);

  private final KafkaNode node;

  /**
   * A broker that is not running yet.
   *
   * @param port where clients connect
   * @param folder where it keeps its files; those of an earlier broker there are used again
   * @param classPath where its classes are
   */
  public SingleBroker(int port, Path folder, String classPath) {
    // Clients never see the controller's port, so that any will do, and another one each time.
    int controllerPort = Ports.free(1).get(0);
    List<String> voters = List.of(NodeConfig.voter(1, controllerPort));
    NodeConfig config = new NodeConfig(1, port, controllerPort, voters, folder, settings());
    this.node = new KafkaNode(config, classPath, JVM_OPTIONS);
  }

  /** Kafka's own topics have three replicas by default, which one node cannot give them. */
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
   * @param dropInWanted whether it must run the drop-in, or must not
   * @return what it runs, for people
   * @throws NodeFailure when it does not come up or runs the other; the message is one line
   * @throws InterruptedException when the waiting thread is interrupted
   */
  public String start(boolean dropInWanted) throws InterruptedException {
    node.prepare(Uuid.randomUuid().toString());
    node.start();
    try (NodeWatch watch = new NodeWatch(node)) {
      watch.awaitRunning(System.nanoTime() + START_PATIENCE.toNanos());
      return watch.identify(dropInWanted);
    }
  }

  /** Where clients connect. */
  public String bootstrap() {
    return node.config().bootstrap();
  }

  /** The file with all that the broker logged. */
  public Path log() {
    return node.config().log();
  }

  /**
   * Waits until the broker ends.
   *
   * @throws InterruptedException when the waiting thread is interrupted
   */
  public void awaitEnd() throws InterruptedException {
    node.awaitEnd();
  }

  /** Has the broker write what it must and end; kills it if that takes too long. */
  @Override
  public void close() {
    node.retire();
    node.stop(STOP_PATIENCE);
  }
}
