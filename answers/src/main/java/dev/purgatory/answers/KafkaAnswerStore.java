package dev.purgatory.answers;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps answers in a topic of Apache Kafka. The first record with an id decides, by its offset.
 *
 * <p>The topic has {@code cleanup.policy=delete}, as compaction would keep the last record, and
 * {@code message.timestamp.type=CreateTime}; these are Kafka's defaults. Its retention says for how
 * long an id can be awaited. The store needs the permissions to describe the topic and its
 * configuration, to read and to write it.
 *
 * <p>An id from {@link #newId} names its partition and the time when it was made, so an instance
 * reads only what was written since then, and only partitions whose ids somebody awaits on it.
 * There are no consumer groups. To await an id of your own, an instance reads its partition from
 * the beginning, and finds no other answer in it meanwhile. The number of partitions is read once:
 * restart all instances after you have added some. Ids of your own then have other partitions.
 *
 * <p>A store has two threads: one that reads, and one of the producer.
 */
public final class KafkaAnswerStore implements AnswerStore {

  /*
   * Writing. A record gets a random token, and a time that is not before that of its id. To find out who was
   * first, the store reads the partition from the time of the id to the record, and compares tokens. If it
   * is uncertain whether the record was written, it reads to the end: the token decides that, too.
   *
   * As no record of an id is older than the id, the first offset with the time of the id or a later one is
   * before all its records, however the clocks of the instances differ. So all readers see the same first
   * record.
   *
   * An instance has one partition for all ids that it makes. So in a service whose ids are mostly awaited
   * where they were made, each record is read by one instance, plus by the one that has written it.
   *
   * Rejected: a consumer group (a record comes to one instance, not to the one that waits, and each restart
   * stops all); a compacted topic (keeps the last record of a key); a transaction for each answer (still no
   * compare-and-set).
   */

  private static final Pattern ID = Pattern.compile("(\\d{1,5})\\.(\\d{13})\\.[0-9a-f]{32}");
  private static final String TOKEN = "purgatory-token";
  private static final Map<String, String> TIMES =
      Map.of(TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG, "CreateTime");
  private static final Duration LINGER = Duration.ofMinutes(1);
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final long WINDOW_BYTES = 32L << 20;
  private static final Duration FLUSH = Duration.ofSeconds(5);

  private final String topic;
  private final int partitions;
  private final int home;
  private final Producer<String, byte[]> producer;
  private final LogReader reader;

  /**
   * Connects to Kafka.
   *
   * @param config what Kafka's clients need, such as {@code bootstrap.servers} and credentials;
   *     other settings of producers and consumers can be among it, such as {@code
   *     delivery.timeout.ms}
   * @param topic a topic for answers only
   * @throws IllegalArgumentException if there is no such topic, or it has a wrong configuration
   * @throws AnswerStoreException if Kafka does not answer, or refuses access
   */
  public KafkaAnswerStore(Map<String, ?> config, String topic) {
    this(config, topic, LINGER, PATIENCE, WINDOW_BYTES);
  }

  /**
   * As above.
   *
   * @param linger for how long an id is followed after its last waiter has gone, and what was read
   *     of a partition is kept after its last use
   * @param patience how long to look for the first record, once the producer is done
   * @param windowBytes how much is kept of what was read
   */
  KafkaAnswerStore(
      Map<String, ?> config, String topic, Duration linger, Duration patience, long windowBytes) {
    this.topic = requireNonNull(topic, "topic");
    this.partitions = checkTopic(config, topic, TIMES);
    this.home = ThreadLocalRandom.current().nextInt(partitions);
    Consumer<String, byte[]> live = consumer(consumerConfig(config, "follow", 100));
    Consumer<String, byte[]> past = beside(() -> consumer(consumerConfig(config, "look", 1)), live);
    this.producer = beside(() -> producer(producerConfig(config, "complete")), live, past);
    this.reader = new LogReader(topic, partitions, live, past, linger, patience, windowBytes);
  }

  /** Creates another client. If its configuration is not valid, closes those that exist. */
  static <C> C beside(Supplier<C> create, Consumer<?, ?>... existing) {
    try {
      return create.get();
    } catch (RuntimeException e) {
      for (Consumer<?, ?> each : existing) {
        LogReader.closeQuietly(each);
      }
      throw e;
    }
  }

  static Consumer<String, byte[]> consumer(Map<String, Object> config) {
    return new KafkaConsumer<>(config, new StringDeserializer(), new ByteArrayDeserializer());
  }

  static Producer<String, byte[]> producer(Map<String, Object> config) {
    return new KafkaProducer<>(config, new StringSerializer(), new ByteArraySerializer());
  }

  /**
   * Checks that a topic exists, is not compacted, and has a configuration. Returns the number of
   * partitions.
   */
  static int checkTopic(Map<String, ?> config, String topic, Map<String, String> required) {
    try (Admin admin = Admin.create(clientConfig(config, "check"))) {
      int partitions =
          requireNonNull(admin.describeTopics(List.of(topic)).allTopicNames().get().get(topic))
              .partitions()
              .size();
      ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
      Config found =
          requireNonNull(admin.describeConfigs(List.of(resource)).all().get().get(resource));
      require(topic, found, TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_DELETE);
      required.forEach((name, value) -> require(topic, found, name, value));
      return partitions;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof UnknownTopicOrPartitionException) {
        throw new IllegalArgumentException("there is no topic " + topic, e);
      }
      throw new AnswerStoreException("cannot describe the topic " + topic, e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AnswerStoreException("interrupted while describing the topic " + topic, e);
    }
  }

  private static void require(String topic, Config config, String name, String value) {
    String found = config.get(name).value();
    if (!found.equals(value)) {
      throw new IllegalArgumentException(
          "topic " + topic + " must have " + name + '=' + value + ", not " + found);
    }
  }

  private static Map<String, Object> clientConfig(Map<String, ?> config, String suffix) {
    Map<String, Object> all = new HashMap<>(config);
    all.computeIfPresent(CommonClientConfigs.CLIENT_ID_CONFIG, (k, id) -> id + "-" + suffix);
    return all;
  }

  static Map<String, Object> producerConfig(Map<String, ?> config, String suffix) {
    Map<String, Object> all = clientConfig(config, suffix);
    all.remove(ProducerConfig.TRANSACTIONAL_ID_CONFIG);
    all.putIfAbsent(ProducerConfig.LINGER_MS_CONFIG, 0);
    // With several requests in flight, a batch that follows a failed one may be refused as out of
    // sequence again and again, until its delivery times out.
    all.putIfAbsent(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 1);
    all.put(ProducerConfig.ACKS_CONFIG, "all");
    all.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
    return all;
  }

  /**
   * Returns the configuration of a consumer.
   *
   * @param maxWait how long a broker may hold a fetch, in milliseconds. While it does, the consumer
   *     asks the same broker for no other partition
   */
  static Map<String, Object> consumerConfig(Map<String, ?> config, String suffix, int maxWait) {
    Map<String, Object> all = clientConfig(config, suffix);
    all.remove(CommonClientConfigs.GROUP_ID_CONFIG);
    all.remove(CommonClientConfigs.GROUP_INSTANCE_ID_CONFIG);
    all.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    all.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    all.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    all.put(ConsumerConfig.FETCH_MIN_BYTES_CONFIG, 1);
    all.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, maxWait);
    all.putIfAbsent(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 5_000);
    return all;
  }

  /** Returns the place from where to look for an id. */
  private LogReader.Place place(String id) {
    Matcher parts = ID.matcher(id);
    if (!parts.matches()) {
      int partition = Math.floorMod(id.hashCode(), partitions);
      return new LogReader.Place(id, new TopicPartition(topic, partition), 0);
    }
    int partition = Integer.parseInt(parts.group(1));
    if (partition >= partitions) {
      throw new IllegalArgumentException(
          "topic " + topic + " has " + partitions + " partitions, too few for the id " + id);
    }
    long since = Long.parseLong(parts.group(2));
    return new LogReader.Place(id, new TopicPartition(topic, partition), since);
  }

  @Override
  public String newId() {
    String random = UUID.randomUUID().toString().replace("-", "");
    return home + "." + System.currentTimeMillis() + "." + random;
  }

  /**
   * {@inheritDoc}
   *
   * <p>It can block as {@link KafkaProducer#send} can: for {@code max.block.ms} at most, while
   * Kafka is unavailable. It fails after {@code delivery.timeout.ms} and half a minute at the
   * latest.
   *
   * @throws IllegalArgumentException if the id has the form of one from {@link #newId}, and a
   *     partition that does not exist
   */
  @Override
  public CompletableFuture<Completion<byte[]>> complete(String id, byte[] answer) {
    LogReader.Place place = place(id);
    byte[] token = UUID.randomUUID().toString().getBytes(US_ASCII);
    ProducerRecord<String, byte[]> record =
        new ProducerRecord<>(
            topic,
            place.partition().partition(),
            Math.max(System.currentTimeMillis(), place.since()),
            id,
            answer,
            List.of(new RecordHeader(TOKEN, token)));
    CompletableFuture<Completion<byte[]>> result = new CompletableFuture<>();
    try {
      var unused =
          producer.send(
              record,
              (metadata, error) -> {
                boolean known = error == null && metadata.hasOffset();
                long until = known ? metadata.offset() + 1 : LogReader.THE_END;
                var unusedToo =
                    reader
                        .look(place, until)
                        .whenComplete(
                            (first, e) ->
                                settle(
                                    result,
                                    record,
                                    error,
                                    first == null ? null : first.orElse(null),
                                    e));
              });
    } catch (IllegalStateException e) {
      result.completeExceptionally(Followers.closedException());
    } catch (RuntimeException e) {
      result.completeExceptionally(new AnswerStoreException("cannot write the answer to " + id, e));
    }
    return result;
  }

  /**
   * Completes the result of an answer.
   *
   * @param record has the answer
   * @param error why it may not have been written; null if it was
   * @param first the first record of the id; null if there is none, or the look failed
   * @param failure why the look failed; null if it did not
   */
  static void settle(
      CompletableFuture<Completion<byte[]>> result,
      ProducerRecord<String, byte[]> record,
      @Nullable Exception error,
      @Nullable ConsumerRecord<String, byte[]> first,
      @Nullable Throwable failure) {
    if (first != null) {
      boolean won = Arrays.equals(token(first.headers()), token(record.headers()));
      result.complete(new Completion<>(won, first.value()));
    } else if (failure instanceof IllegalStateException) { // the store is closed
      result.completeExceptionally(failure);
    } else if (error != null) {
      result.completeExceptionally(
          new AnswerStoreException("cannot write the answer to " + record.key(), error));
    } else {
      String message = "the first answer to " + record.key() + " cannot be found; one was written";
      result.completeExceptionally(new AnswerStoreException(message, failure));
    }
  }

  private static byte @Nullable [] token(Headers headers) {
    Header token = headers.lastHeader(TOKEN);
    return token == null ? null : token.value();
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalArgumentException as for {@link #complete}
   */
  @Override
  public CompletableFuture<byte[]> follow(String id) {
    return reader.follow(place(id));
  }

  /** For tests: how many records were read. */
  long recordsRead() {
    return reader.recordsRead();
  }

  /** For tests: how much is kept of what was read, in bytes. */
  long windowBytes() {
    return reader.windowBytes();
  }

  /** For tests: how many partitions are followed. */
  int followedPartitions() {
    return reader.followedPartitions();
  }

  /** {@inheritDoc} It waits up to five seconds for answers that are being written. */
  @Override
  public void close() {
    try {
      producer.close(FLUSH);
    } catch (InterruptException e) {
      // The thread is interrupted still. The producer ends without it.
    } finally {
      reader.close();
    }
  }
}
