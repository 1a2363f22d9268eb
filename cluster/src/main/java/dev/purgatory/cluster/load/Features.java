package dev.purgatory.cluster.load;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.FeatureUpdate;
import org.apache.kafka.clients.admin.FinalizedVersionRange;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.UpdateFeaturesOptions;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.IntegerDeserializer;
import org.apache.kafka.common.serialization.IntegerSerializer;

/**
 * Clients that use each kind of request that a broker holds, one after the other: writes for all
 * replicas, fetches that a write must wake, share groups, transactions, and fetches from remote
 * storage.
 */
public final class Features implements AutoCloseable {
  private static final int WAKE_UPS = 300;
  private static final int SHARED = 200;
  private static final int TRANSACTIONS = 20;
  private static final int TIERED = 400;
  private static final int TIERED_BYTES = 10_000;
  private static final int MAX_PAUSE_MILLIS = 10;

  /** A held fetch ends by itself after this time. */
  private static final Duration HELD = Duration.ofSeconds(60);

  /** What has not happened by then has been lost, even on a busy machine. */
  private static final Duration LOST = Duration.ofSeconds(30);

  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Duration POLL = Duration.ofMillis(500);

  private final String bootstrap;
  private final Admin admin;
  private final KafkaProducer<Integer, byte[]> producer;

  private Features(String bootstrap) {
    this.bootstrap = bootstrap;
    this.admin = Admin.create(Clients.common(bootstrap));
    this.producer = producer(Map.of());
  }

  /**
   * Uses all features of a cluster that has three replicas and remote storage.
   *
   * @param bootstrap the address of the cluster
   * @param progress receives a line for each feature
   * @throws LoadFailure if a client does not get what it must
   * @throws InterruptedException if the thread is interrupted while waiting
   */
  public static void use(String bootstrap, Consumer<String> progress) throws InterruptedException {
    try (Features features = new Features(bootstrap)) {
      features.wakeUps();
      progress.accept(WAKE_UPS + " writes have each woken a held fetch");
      features.shareGroup();
      progress.accept(SHARED + " messages have been shared");
      features.transactions();
      progress.accept(TRANSACTIONS + " transactions have been committed or aborted");
      features.remoteStorage();
      progress.accept(TIERED + " messages have been fetched, most of them from remote storage");
    } catch (KafkaException e) {
      throw new LoadFailure("a client failed: " + e, e);
    }
  }

  /** Each write must end a fetch that would otherwise be held for a minute. */
  private void wakeUps() throws InterruptedException {
    TopicPartition partition = create("wake-ups");
    try (KafkaConsumer<Integer, byte[]> consumer =
        consumer(Map.of(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, (int) HELD.toMillis()))) {
      consumer.assign(List.of(partition));
      for (int i = 0; i < WAKE_UPS; i++) {
        consumer.poll(Duration.ofMillis(ThreadLocalRandom.current().nextInt(MAX_PAUSE_MILLIS)));
        send(partition, i, 1);
        if (consumer.poll(LOST).isEmpty()) {
          throw new LoadFailure(
              "a lost wake-up: write %d did not end the fetch that waited for it, for %d seconds"
                  .formatted(i, LOST.toSeconds()));
        }
      }
      consumer.close(CloseOptions.timeout(Duration.ZERO));
    }
  }

  private void shareGroup() throws InterruptedException {
    // Until 4.2, share groups are a preview, which has to be enabled.
    FinalizedVersionRange version =
        get(admin.describeFeatures().featureMetadata()).finalizedFeatures().get("share.version");
    if (version == null || version.maxVersionLevel() == 0) {
      FeatureUpdate update = new FeatureUpdate((short) 1, FeatureUpdate.UpgradeType.UPGRADE);
      get(admin.updateFeatures(Map.of("share.version", update), new UpdateFeaturesOptions()).all());
    }
    TopicPartition partition = create("shared");
    configure(ConfigResource.Type.GROUP, "sharers", Map.of("share.auto.offset.reset", "earliest"));
    Map<String, Object> settings = settings();
    settings.put(ConsumerConfig.GROUP_ID_CONFIG, "sharers");
    try (KafkaShareConsumer<Integer, byte[]> consumer =
        new KafkaShareConsumer<>(
            settings, new IntegerDeserializer(), new ByteArrayDeserializer())) {
      consumer.subscribe(List.of(partition.topic()));
      Set<Integer> received = new HashSet<>();
      long deadline = System.nanoTime() + PATIENCE.toNanos();
      for (int sent = 0; received.size() < SHARED; ) {
        Duration wait = received.size() < sent ? POLL : Duration.ofMillis(MAX_PAUSE_MILLIS);
        for (ConsumerRecord<Integer, byte[]> message : consumer.poll(wait)) {
          received.add(message.key());
        }
        if (received.size() == sent && sent < SHARED) {
          send(partition, sent++, 1); // while the fetch is held
        }
        for (Optional<KafkaException> failure : consumer.commitSync().values()) {
          failure.ifPresent(
              e -> {
                throw e;
              });
        }
        checkTime(deadline, received.size() + " shared messages have been received");
      }
    }
  }

  /** Every second transaction is aborted, and its message must not be read. */
  private void transactions() throws InterruptedException {
    TopicPartition partition = create("transactions");
    try (KafkaProducer<Integer, byte[]> transactional =
        producer(Map.of(ProducerConfig.TRANSACTIONAL_ID_CONFIG, "transactions"))) {
      transactional.initTransactions();
      for (int i = 0; i < TRANSACTIONS; i++) {
        transactional.beginTransaction();
        get(transactional.send(message(partition, i, 1)));
        if (i % 2 == 0) {
          transactional.commitTransaction();
        } else {
          transactional.abortTransaction();
        }
      }
    }
    Map<String, Object> committed = Map.of(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    Set<Integer> read = read(partition, committed, TRANSACTIONS / 2);
    if (read.stream().anyMatch(key -> key % 2 != 0)) {
      throw new LoadFailure("messages of aborted transactions were read: " + read);
    }
  }

  private void remoteStorage() throws InterruptedException {
    TopicPartition partition = create("tiered");
    configure(
        ConfigResource.Type.TOPIC,
        partition.topic(),
        Map.of(
            "remote.storage.enable", "true",
            "segment.bytes", "1048576",
            "local.retention.bytes", "1"));
    for (int i = 0; i < TIERED; i++) {
      send(partition, i, TIERED_BYTES);
    }
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (localStart(partition) == 0) {
      checkTime(deadline, "no segment has moved to remote storage");
      Thread.sleep(POLL.toMillis());
    }
    read(partition, Map.of(), TIERED);
  }

  private long localStart(TopicPartition partition) throws InterruptedException {
    return get(admin
            .listOffsets(Map.of(partition, OffsetSpec.earliestLocal()))
            .partitionResult(partition))
        .offset();
  }

  /** Reads a number of messages from the beginning, and returns their keys. */
  private Set<Integer> read(TopicPartition partition, Map<String, Object> more, int count) {
    Set<Integer> keys = new HashSet<>();
    try (KafkaConsumer<Integer, byte[]> consumer = consumer(more)) {
      consumer.assign(List.of(partition));
      long deadline = System.nanoTime() + PATIENCE.toNanos();
      while (keys.size() < count) {
        checkTime(deadline, keys.size() + " messages of " + partition + " have been read");
        consumer.poll(POLL).forEach(message -> keys.add(message.key()));
      }
    }
    return keys;
  }

  private static void checkTime(long deadline, String state) {
    if (System.nanoTime() - deadline > 0) {
      throw new LoadFailure("after " + PATIENCE.toSeconds() + " seconds, " + state);
    }
  }

  private TopicPartition create(String topic) throws InterruptedException {
    Topic.create(bootstrap, topic, 1, 3);
    return new TopicPartition(topic, 0);
  }

  private void configure(ConfigResource.Type type, String name, Map<String, String> settings)
      throws InterruptedException {
    List<AlterConfigOp> changes =
        settings.entrySet().stream()
            .map(each -> new ConfigEntry(each.getKey(), each.getValue()))
            .map(each -> new AlterConfigOp(each, AlterConfigOp.OpType.SET))
            .toList();
    get(admin.incrementalAlterConfigs(Map.of(new ConfigResource(type, name), changes)).all());
  }

  private void send(TopicPartition partition, int key, int bytes) throws InterruptedException {
    get(producer.send(message(partition, key, bytes)));
  }

  private static ProducerRecord<Integer, byte[]> message(
      TopicPartition partition, int key, int bytes) {
    return new ProducerRecord<>(partition.topic(), partition.partition(), key, new byte[bytes]);
  }

  private static <T> T get(KafkaFuture<T> future) throws InterruptedException {
    return get(future.toCompletionStage().toCompletableFuture());
  }

  private static <T> T get(Future<T> future) throws InterruptedException {
    try {
      return future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new LoadFailure("a request failed: " + e, e);
    }
  }

  /** Brokers hold writes for as long as clients wait: none may expire on a busy machine. */
  private Map<String, Object> settings() {
    Map<String, Object> settings = Clients.common(bootstrap);
    settings.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, (int) HELD.plus(LOST).toMillis());
    return settings;
  }

  private KafkaProducer<Integer, byte[]> producer(Map<String, Object> more) {
    Map<String, Object> settings = settings();
    settings.put(ProducerConfig.ACKS_CONFIG, "all");
    settings.putAll(more);
    return new KafkaProducer<>(settings, new IntegerSerializer(), new ByteArraySerializer());
  }

  private KafkaConsumer<Integer, byte[]> consumer(Map<String, Object> more) {
    Map<String, Object> settings = settings();
    settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    settings.putAll(more);
    return new KafkaConsumer<>(settings, new IntegerDeserializer(), new ByteArrayDeserializer());
  }

  @Override
  public void close() {
    producer.close(Duration.ZERO);
    admin.close(Duration.ZERO);
  }
}
