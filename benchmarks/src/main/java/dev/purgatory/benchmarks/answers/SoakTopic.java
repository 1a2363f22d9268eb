package dev.purgatory.benchmarks.answers;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.purgatory.cluster.load.Topic;
import dev.purgatory.cluster.node.KafkaNode;
import dev.purgatory.cluster.node.NodeFailure;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.BiConsumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.InvalidPartitionsException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;

/** The topic of a soak, and what an operator or bad luck does to it. */
final class SoakTopic implements AutoCloseable {
  private static final Duration READ_PATIENCE = Duration.ofMinutes(2);
  private static final long REPLICATION_PATIENCE = Duration.ofSeconds(30).toNanos();
  private static final long PAUSE_MILLIS = 20;

  /** Not the partition with the settings, which instances read when they start. */
  private static final int DAMAGED = 1;

  private static final String MARKER = "to be damaged";

  private final String bootstrap;
  private final String name;
  private final Admin admin;
  private long begin;

  /** Creates the topic. */
  SoakTopic(String bootstrap, String name, int partitions, int replicas)
      throws InterruptedException {
    Topic.create(bootstrap, name, partitions, replicas);
    this.bootstrap = bootstrap;
    this.name = name;
    this.admin = Admin.create(Map.<String, Object>of("bootstrap.servers", bootstrap));
  }

  String bootstrap() {
    return bootstrap;
  }

  String name() {
    return name;
  }

  void addPartitions(int partitions) {
    get(admin.createPartitions(Map.of(name, NewPartitions.increaseTo(partitions))).all());
  }

  void setPolicy(String policy) {
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, name);
    ConfigEntry entry = new ConfigEntry("cleanup.policy", policy);
    AlterConfigOp set = new AlterConfigOp(entry, AlterConfigOp.OpType.SET);
    get(admin.incrementalAlterConfigs(Map.of(resource, List.of(set))).all());
  }

  /** Writes a record, and damages all copies of it. */
  void damage(List<KafkaNode> nodes) throws InterruptedException {
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", bootstrap),
            new StringSerializer(),
            new StringSerializer())) {
      Object unused = get(producer.send(new ProducerRecord<>(name, DAMAGED, "any", MARKER)));
      begin = 1;
    }
    try {
      for (KafkaNode each : nodes) {
        damage(each.config().data().resolve(name + "-" + DAMAGED + "/00000000000000000000.log"));
      }
    } catch (IOException e) {
      throw new NodeFailure("cannot damage a record: " + e.getMessage(), e);
    }
  }

  private static void damage(Path log) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + REPLICATION_PATIENCE;
    int at = -1;
    while (at < 0) {
      at = Files.exists(log) ? Files.readString(log, ISO_8859_1).indexOf(MARKER) : -1;
      if (System.nanoTime() - deadline > 0) {
        throw new IOException("no record in " + log);
      }
      Thread.sleep(PAUSE_MILLIS);
    }
    try (FileChannel channel = FileChannel.open(log, StandardOpenOption.WRITE)) {
      int unused = channel.write(ByteBuffer.wrap(new byte[] {0}), at);
    }
  }

  /** Reads all records but the damaged one; returns their number. */
  long read(BiConsumer<String, String> onRecord) {
    long records = 0;
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", bootstrap, "auto.offset.reset", "earliest"),
            new StringDeserializer(),
            new StringDeserializer())) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(name).stream()
              .map(each -> new TopicPartition(name, each.partition()))
              .toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      if (begin > 0) {
        consumer.seek(new TopicPartition(name, DAMAGED), begin);
      }
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions, READ_PATIENCE);
      while (ends.entrySet().stream()
          .anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
        for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofSeconds(1))) {
          records++;
          onRecord.accept(record.key(), record.value());
        }
      }
    }
    return records;
  }

  private static <T> @Nullable T get(Future<T> change) {
    try {
      return change.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof InvalidPartitionsException) {
        return null; // they were added by an attempt that has timed out
      }
      throw new NodeFailure("cannot change the topic: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new NodeFailure("interrupted while changing the topic", e);
    }
  }

  @Override
  public void close() {
    admin.close(Duration.ZERO);
  }
}
