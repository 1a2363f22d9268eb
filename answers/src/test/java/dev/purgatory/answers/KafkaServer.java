package dev.purgatory.answers;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.util.Objects.requireNonNull;

import dev.purgatory.cluster.node.KafkaNode;
import dev.purgatory.cluster.node.NodeConfig;
import dev.purgatory.cluster.node.Ports;
import dev.purgatory.cluster.node.TemporaryFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;
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
        TopicDescription unused = description(topic);
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

  void addPartitions(String topic, int partitions) throws Exception {
    admin.createPartitions(Map.of(topic, NewPartitions.increaseTo(partitions))).all().get();
    while (description(topic).partitions().size() < partitions) {
      Thread.sleep(20);
    }
  }

  private TopicDescription description(String topic) throws Exception {
    return requireNonNull(admin.describeTopics(List.of(topic)).allTopicNames().get().get(topic));
  }

  void configure(String topic, String name, String value) throws Exception {
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
    AlterConfigOp set = new AlterConfigOp(new ConfigEntry(name, value), AlterConfigOp.OpType.SET);
    admin.incrementalAlterConfigs(Map.of(resource, List.of(set))).all().get();
  }

  /** Deletes what is in the first partition of a topic, as its retention would. */
  void deleteRecords(String topic) throws Exception {
    TopicPartition partition = new TopicPartition(topic, 0);
    admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(-1))).all().get();
  }

  /** Changes the first byte of a text in a record. */
  void damage(String topic, int partition, String text) throws IOException {
    try (Stream<Path> files = Files.walk(folder.path())) {
      Path log =
          files
              .filter(each -> each.endsWith(topic + "-" + partition + "/00000000000000000000.log"))
              .findFirst()
              .orElseThrow();
      String bytes = Files.readString(log, ISO_8859_1);
      try (FileChannel channel = FileChannel.open(log, StandardOpenOption.WRITE)) {
        int unused = channel.write(ByteBuffer.wrap(new byte[] {0}), bytes.indexOf(text));
      }
    }
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
