package dev.purgatory.answers;

import dev.purgatory.cluster.node.KafkaNode;
import dev.purgatory.cluster.node.NodeConfig;
import dev.purgatory.cluster.node.Ports;
import dev.purgatory.cluster.node.TemporaryFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.InvalidReplicationFactorException;

/** A real broker in its own process, one for all tests of this JVM. */
final class KafkaServer {
  private static final List<String> QUICK =
      List.of("-Xmx384m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");
  private static final AtomicInteger TOPICS = new AtomicInteger();

  private final TemporaryFolder folder = new TemporaryFolder("purgatory-answers");
  private final KafkaNode node;
  private final Admin admin;

  private KafkaServer() {
    List<Integer> ports = Ports.free(2);
    NodeConfig config =
        new NodeConfig(
            1,
            ports.get(0),
            ports.get(1),
            List.of(NodeConfig.voter(1, ports.get(1))),
            folder.path(),
            Map.of(
                "log.index.interval.bytes", "256", // an index with entries, in short logs
                "broker.heartbeat.interval.ms", "200",
                "broker.session.timeout.ms", "1000"));
    node = new KafkaNode(config, System.getProperty("java.class.path"), QUICK);
    node.prepare(Uuid.randomUuid().toString());
    Runtime.getRuntime().addShutdownHook(new Thread(this::stop));
    node.start();
    admin = Admin.create(Map.<String, Object>of("bootstrap.servers", config.bootstrap()));
  }

  private static final class Shared {
    static final KafkaServer SERVER = new KafkaServer();
  }

  static KafkaServer shared() {
    return Shared.SERVER;
  }

  Map<String, Object> config() {
    return Map.of("bootstrap.servers", bootstrap());
  }

  String bootstrap() {
    return node.config().bootstrap();
  }

  /** Creates a topic; waits until the broker serves clients. */
  String createTopic(int partitions, Map<String, String> config) throws Exception {
    return createTopic("answers-" + TOPICS.incrementAndGet(), partitions, config);
  }

  String createTopic(String topic, int partitions, Map<String, String> config) throws Exception {
    NewTopic description = new NewTopic(topic, partitions, (short) 1).configs(config);
    create(description);
    while (true) { // the broker knows it a moment later
      try {
        admin.describeTopics(List.of(topic)).allTopicNames().get();
        return topic;
      } catch (ExecutionException e) {
        Thread.sleep(20);
      }
    }
  }

  private void create(NewTopic description) throws Exception {
    while (true) {
      try {
        admin.createTopics(List.of(description)).all().get();
        return;
      } catch (ExecutionException e) {
        if (!(e.getCause() instanceof InvalidReplicationFactorException)) {
          throw e;
        }
        Thread.sleep(20); // fenced: the broker was paused, or had no processor for a second
      }
    }
  }

  /** Deletes a topic and creates one of the same name. */
  void createTopicAgain(String topic, int partitions) throws Exception {
    admin.deleteTopics(List.of(topic)).all().get();
    createTopic(topic, partitions, Map.of());
  }

  KafkaNode node() {
    return node;
  }

  private void stop() {
    node.retire();
    node.kill();
    try {
      folder.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Kills the broker and starts it again. */
  void restart() {
    node.kill();
    node.start();
  }
}
