package dev.purgatory.answers;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.Objects.requireNonNull;

import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/** What all instances must agree on about a topic of answers. */
final class Agreement {

  /*
   * It is in the topic, as a record with the key SETTINGS: the first one counts, as with an answer. Each instance
   * writes one at its start, and reads which is the first. It also writes one from time to time: so there is always
   * one while there are answers, and it is near the beginning. Kafka refuses a record if the clock is too far ahead.
   *
   * Each instance makes its ids for one partition, its home, which no other one has, if there are enough. A home is
   * claimed for some minutes by an answer, too: the first record with the key of these minutes in the partition. An
   * instance whose claim loses moves to the first partition that it gets. If it gets none, or clocks differ, homes are
   * shared: then more instances read the partition, and nothing else changes.
   *
   * What the topic says about itself, such as its cleanup policy, is looked at again and again. While this instance
   * cannot use the topic, `refusal` says why, and everything fails with it.
   *
   * All fields without a comment belong to the caretaker of the store, which calls `start` first, and then `check`.
   */

  /** No id has a space. */
  private static final String SETTINGS = "purgatory settings";

  private static final String HOME = "purgatory home ";
  private static final String PARTITIONS = "partitions=";
  static final Map<String, String> TIMES =
      Map.of(TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG, "CreateTime");
  private static final long MOST_SETTINGS_MILLIS = TimeUnit.MINUTES.toMillis(10);
  private static final long HOME_MILLIS = TimeUnit.MINUTES.toMillis(10);
  private static final int MOST_CLAIMS = 100;
  private static final long MOST_AHEAD_MILLIS = TimeUnit.HOURS.toMillis(1);
  private static final long JUMP_MILLIS = 1_000;

  /**
   * What a topic is like.
   *
   * @param aheadMillis how far ahead of a broker's clock the time of a record can be, an hour at
   *     most
   * @param retentionMillis how old records become at least, unless they are too many; -1: any age
   */
  record Description(Uuid id, int partitions, long aheadMillis, long retentionMillis) {}

  private final Admin admin;
  private final String topic;
  private final LongSupplier clock;
  private final Producer<String, byte[]> producer;
  private final LogReader reader;

  /** How many partitions ids use; read by all threads. */
  private final CompletableFuture<Integer> agreed = new CompletableFuture<>();

  /** A call that reads an old value goes by what was true a minute ago. */
  private volatile Description described;

  /** Likewise. A wait that begins in spite of it fails at the next check. */
  private volatile @Nullable AnswerStoreException refusal;

  /** The partition for new ids; read by all threads, for which any one will do. */
  private volatile int home;

  /** For which minutes the home was claimed; read by tests. */
  volatile long claimed = -1;

  /** When the settings were written, and by which clock. */
  private long settingsAt;

  private long settingsOffset;

  Agreement(
      Admin admin,
      String topic,
      Description described,
      LongSupplier clock,
      Producer<String, byte[]> producer,
      LogReader reader) {
    this.admin = admin;
    this.topic = topic;
    this.described = described;
    this.clock = clock;
    this.producer = producer;
    this.reader = reader;
  }

  /**
   * Checks the configuration of a topic.
   *
   * @param required what must be set, besides that it is not compacted
   * @throws IllegalArgumentException if it is not so, or there is no such topic
   */
  static Description describe(Admin admin, String topic, Map<String, String> required) {
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
    var topics = admin.describeTopics(List.of(topic)).allTopicNames();
    var configs = admin.describeConfigs(List.of(resource)).all();
    try {
      TopicDescription found = requireNonNull(topics.get().get(topic));
      Config config = requireNonNull(configs.get().get(resource));
      require(topic, config, TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_DELETE);
      required.forEach((name, value) -> require(topic, config, name, value));
      long ahead =
          number(config, TopicConfig.MESSAGE_TIMESTAMP_AFTER_MAX_MS_CONFIG, MOST_AHEAD_MILLIS);
      return new Description(
          found.topicId(),
          found.partitions().size(),
          Math.min(ahead, MOST_AHEAD_MILLIS),
          number(config, TopicConfig.RETENTION_MS_CONFIG, -1));
    } catch (ExecutionException e) {
      if (e.getCause() instanceof UnknownTopicOrPartitionException missing) {
        throw new IllegalArgumentException("there is no topic " + topic, missing);
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

  private static long number(Config config, String name, long ofOldBrokers) {
    ConfigEntry entry = config.get(name);
    return entry == null ? ofOldBrokers : Long.parseLong(entry.value());
  }

  /** Waits until the caretaker has found out how many partitions ids use. */
  int partitions(long patienceMillis) {
    try {
      return agreed.get(patienceMillis, TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException known
          ? known
          : new AnswerStoreException("cannot use the topic " + topic, e.getCause());
    } catch (TimeoutException e) {
      throw new AnswerStoreException("cannot write to the topic " + topic + " in time", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AnswerStoreException("interrupted while writing to the topic " + topic, e);
    }
  }

  boolean isDone() {
    return agreed.isDone();
  }

  /** Fails the calls that wait for the caretaker's first step; returns false if it is done. */
  boolean fail(Throwable failure) {
    return agreed.completeExceptionally(failure);
  }

  long aheadMillis() {
    return described.aheadMillis();
  }

  @Nullable AnswerStoreException refusal() {
    return refusal;
  }

  int home() {
    return home;
  }

  /** Finds out how many partitions ids use, and claims one. */
  void start() throws InterruptedException {
    agree(described);
    claimHome();
  }

  private void claimHome() throws InterruptedException {
    long minutes = clock.getAsLong() / HOME_MILLIS;
    if (minutes == claimed) {
      return;
    }
    int partitions = agreed.join();
    int candidate = home;
    int left = Math.min(partitions, MOST_CLAIMS);
    while (left > 0 && !isLastClaim(candidate, minutes)) {
      candidate = (candidate + 1) % partitions;
      left--;
    }
    claimed = minutes;
  }

  /**
   * Claims a partition; returns whether to claim no other: it is the home now, or took too long.
   */
  private boolean isLastClaim(int partition, long minutes) throws InterruptedException {
    LogReader.Place place =
        new LogReader.Place(
            HOME + minutes, new TopicPartition(topic, partition), minutes * HOME_MILLIS);
    ProducerRecord<String, byte[]> claim =
        KafkaAnswerStore.record(place, new byte[0], clock.getAsLong());
    try {
      if (!KafkaAnswerStore.isSame(claim, reader.look(place, write(claim)).get().orElseThrow())) {
        return false;
      }
      home = partition;
      return true;
    } catch (AnswerStoreException | ExecutionException | NoSuchElementException e) {
      // After a damaged record, another partition is better. After a timeout, the others would take
      // as long, and the caretaker has to look at the topic.
      return e.getCause() instanceof org.apache.kafka.common.errors.TimeoutException;
    }
  }

  /** Finds out whether the topic is as it must be. */
  void check() throws InterruptedException {
    try {
      Description found = describe(admin, topic, TIMES);
      if (refusal != null || !found.id().equals(described.id())) {
        agree(found);
      } else if (isTimeForSettings()) {
        long unused = writeSettings();
      }
      described = found;
      refuse(null);
      claimHome();
    } catch (IllegalArgumentException e) {
      boolean isDeleted = e.getCause() instanceof UnknownTopicOrPartitionException;
      if (!isDeleted) { // else waits go on: it may be created again
        refuse(new AnswerStoreException(requireNonNull(e.getMessage()), e));
      }
    }
  }

  private boolean isTimeForSettings() {
    long retention = described.retentionMillis();
    long every =
        retention < 0 ? MOST_SETTINGS_MILLIS : Math.min(retention / 4, MOST_SETTINGS_MILLIS);
    return nowMillis() - settingsAt >= every
        || Math.abs(clockOffset() - settingsOffset) > JUMP_MILLIS;
  }

  /** Returns a number that changes if somebody sets the clock. */
  private long clockOffset() {
    return clock.getAsLong() - nowMillis();
  }

  /** Writes the settings, and compares them with the first ones in the topic. */
  private void agree(Description found) throws InterruptedException {
    int first;
    try {
      byte[] settings = reader.look(settings(), writeSettings()).get().orElseThrow().value();
      first = Integer.parseInt(new String(settings, US_ASCII).substring(PARTITIONS.length()));
    } catch (ExecutionException e) {
      throw new AnswerStoreException("cannot read the topic " + topic, e.getCause());
    }
    int mine = agreed.getNow(first);
    if (first != mine || first > found.partitions()) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "ids of topic %s use %d partitions: those of this instance use %d, and there are %d",
              topic,
              first,
              mine,
              found.partitions()));
    }
    if (!isDone()) {
      home = ThreadLocalRandom.current().nextInt(first); // until one is claimed
    }
    agreed.complete(first);
  }

  private LogReader.Place settings() {
    return new LogReader.Place(SETTINGS, new TopicPartition(topic, 0), 0);
  }

  /** Writes the settings; returns the end of a look for the first ones. */
  private long writeSettings() throws InterruptedException {
    byte[] value = (PARTITIONS + agreed.getNow(described.partitions())).getBytes(US_ASCII);
    long until = write(KafkaAnswerStore.record(settings(), value, clock.getAsLong()));
    settingsAt = nowMillis();
    settingsOffset = clockOffset();
    return until;
  }

  /** Writes a record; returns the end of a look for the first one. */
  private long write(ProducerRecord<String, byte[]> record) throws InterruptedException {
    try {
      return KafkaAnswerStore.until(producer.send(record).get());
    } catch (ExecutionException e) {
      if (e.getCause() instanceof InvalidTimestampException ahead) {
        throw new IllegalArgumentException(
            "the clock of this instance is too far ahead of the brokers of topic " + topic, ahead);
      }
      throw new AnswerStoreException("cannot write to the topic " + topic, e.getCause());
    }
  }

  private void refuse(@Nullable AnswerStoreException reason) {
    boolean isNew = (reason == null) != (refusal == null);
    refusal = reason;
    if (reason != null) {
      reader.fail(reason);
    }
    if (isNew) {
      Foreign.log(
          reason == null ? Level.INFO : Level.ERROR,
          "The topic " + topic + (reason == null ? " can be used again" : " cannot be used"),
          reason);
    }
  }

  static long nowMillis() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
  }
}
