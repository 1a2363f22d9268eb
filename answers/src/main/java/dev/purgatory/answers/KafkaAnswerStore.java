package dev.purgatory.answers;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.Objects.requireNonNull;

import dev.purgatory.base.ForeignText;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
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
 * <p>The store looks at the topic each minute. If its configuration is not valid any more, all
 * waits and answers fail with an {@link AnswerStoreException} until it is. So they do if the topic
 * was created again for another number of partitions.
 *
 * <p>Only this class may write to the topic. Records of other producers are ignored, and a warning
 * is logged. Consumers have {@code isolation.level=read_uncommitted}, whatever the configuration
 * says: a record counts when it is written, so no transaction of others delays an answer.
 *
 * <p>An id from {@link #newId} names its partition and the time when it was made, so an instance
 * reads only what was written since then, and only partitions whose ids somebody awaits on it.
 * There are no consumer groups. The same holds for an id of your own with a time. For one without,
 * an instance reads its partition from the beginning, each time that this has left the window.
 * While it does, it finds no other answer there.
 *
 * <p>Ids use as many partitions as the topic had when the first instance started. The number is
 * kept in the topic, so all instances agree; partitions that are added later stay empty.
 *
 * <p>The clocks of the instances may differ by the topic's {@code message.timestamp.after.max.ms},
 * an hour by default. An instance that is further ahead of Kafka does not start, or makes no more
 * ids. An id that is further ahead of an instance is refused there.
 *
 * <p>A store has four threads: one that reads, one that looks at the topic, and two of Kafka's
 * clients.
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
   * A record that Kafka refuses takes its whole batch with it. Its batch mates are sent again by the caretaker, as
   * a callback of the producer must not block. That thread also looks at the topic, and at what all instances must
   * agree on: see Agreement.
   *
   * An instance has one partition for all ids that it makes, which it shares with no other one if there are enough. So in a
   * service whose ids are mostly awaited where they were made, each record is read by one instance. One that asks
   * which answer is the first reads it, too; one that offers an answer does not.
   *
   * Rejected: a consumer group (a record comes to one instance, not to the one that waits, and each restart
   * stops all); a compacted topic (keeps the last record of a key); a transaction for each answer (still no
   * compare-and-set).
   */

  private static final Pattern OWN_ID =
      Pattern.compile(Pattern.quote(Ids.OWN) + "(\\d{1,13})\\..+");
  private static final Pattern ID =
      Pattern.compile("(\\d{1,5})\\.(\\d{13})\\.[0-9a-f]{32}(\\..*)?");

  private static final Duration LINGER = Duration.ofMinutes(1);
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final long WINDOW_BYTES = 32L << 20;
  private static final Duration FLUSH = Duration.ofSeconds(5);
  private static final Duration CHECK_EVERY = Duration.ofMinutes(1);
  private static final long STOP_MILLIS = 10_000;
  private static final int MOST_SENT_AGAIN = 10_000;
  private static final int MOST_TIMES = 10;

  /**
   * What tests choose.
   *
   * @param linger for how long an id is followed after its last waiter has gone, and what was read
   *     of a partition is kept after its last use
   * @param patience how long to look for the first record, once the producer is done
   * @param windowBytes how much is kept of what was read
   * @param checkEvery how often to look at the topic
   * @param clock returns milliseconds since 1970
   */
  record Tuning(
      Duration linger,
      Duration patience,
      long windowBytes,
      Duration checkEvery,
      LongSupplier clock) {
    static final Tuning DEFAULT =
        new Tuning(LINGER, PATIENCE, WINDOW_BYTES, CHECK_EVERY, System::currentTimeMillis);

    Tuning {
      if (windowBytes < 0) {
        throw new IllegalArgumentException("a window of " + windowBytes + " bytes");
      }
    }
  }

  /** A record that is being written. */
  private static final class Given {
    final ProducerRecord<String, byte[]> record;
    final CompletableFuture<RecordMetadata> written = new CompletableFuture<>();

    /** How often it was sent. Handed over with the record. */
    int times;

    Given(ProducerRecord<String, byte[]> record) {
      this.record = record;
    }

    void end(RecordMetadata metadata, @Nullable Exception error) {
      if (error == null) {
        Foreign.call(() -> written.complete(metadata));
      } else {
        fail(error);
      }
    }

    void fail(Throwable error) {
      Foreign.call(() -> written.completeExceptionally(error));
    }
  }

  private final String topic;
  private final LongSupplier clock;
  private final long checkMillis;
  private final Admin admin;
  private final int partitions;
  private final Producer<String, byte[]> producer;
  final LogReader reader;
  final Agreement agreement;
  private final Thread caretaker;

  /** Batch mates of refused records, for the caretaker. */
  private final LinkedBlockingQueue<Given> again = new LinkedBlockingQueue<>(MOST_SENT_AGAIN);

  /** The caretaker's: when it has looked at the topic. */
  private long checkedAt;

  private final AtomicLong written = new AtomicLong();
  private volatile boolean closed;

  /**
   * Connects to Kafka. It waits for Kafka, for {@code default.api.timeout.ms} at most, by default a
   * minute.
   *
   * @param config what Kafka's clients need, such as {@code bootstrap.servers} and credentials;
   *     other settings of producers and consumers can be among it, such as {@code
   *     delivery.timeout.ms}
   * @param topic a topic for answers only
   * @throws IllegalArgumentException if there is no such topic, it has a wrong configuration or too
   *     few partitions, or the clock of this instance is too far ahead
   * @throws AnswerStoreException if Kafka does not answer, or refuses access
   */
  public KafkaAnswerStore(Map<String, ?> config, String topic) {
    this(config, topic, WINDOW_BYTES);
  }

  /**
   * Connects to Kafka, as above.
   *
   * @param config as above
   * @param topic as above
   * @param windowBytes how much memory to use for records that were read, in all partitions
   *     together; by default 32 MiB. An id that is older than what is kept of its partition makes
   *     an instance read that again: see {@link AnswerStoreMetrics#windowsRestarted}
   * @throws IllegalArgumentException as above, or if the number is negative
   */
  public KafkaAnswerStore(Map<String, ?> config, String topic, long windowBytes) {
    this(
        config,
        topic,
        new Tuning(LINGER, PATIENCE, windowBytes, CHECK_EVERY, System::currentTimeMillis));
  }

  KafkaAnswerStore(Map<String, ?> config, String topic, Tuning tuning) {
    this.topic = requireNonNull(topic, "topic");
    this.clock = tuning.clock();
    this.checkMillis = tuning.checkEvery().toMillis();
    long begun = Agreement.nowMillis();
    Map<String, Object> ofAdmin = clientConfig(config, "check");
    long patience =
        new AdminClientConfig(ofAdmin).getInt(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG);
    Deque<Runnable> opened = new ArrayDeque<>();
    try {
      this.admin = Admin.create(ofAdmin);
      opened.push(() -> admin.close(Duration.ZERO));
      Agreement.Description described = Agreement.describe(admin, topic, Agreement.TIMES);
      Consumer<String, byte[]> live = consumer(consumerConfig(config, "follow", 100));
      opened.push(() -> LogReader.closeQuietly(live));
      Consumer<String, byte[]> past = consumer(consumerConfig(config, "look", 1));
      opened.push(() -> LogReader.closeQuietly(past));
      this.producer = producer(producerConfig(config, "complete"));
      opened.push(() -> close(producer, Duration.ZERO));
      this.reader =
          new LogReader(
              topic,
              described.partitions(),
              live,
              past,
              tuning.linger(),
              tuning.patience(),
              tuning.windowBytes());
      opened.push(reader::close);
      this.agreement = new Agreement(admin, topic, described, clock, producer, reader);
      this.caretaker = Loop.start("purgatory-answers-care-" + topic, this::care, this::react);
      opened.push(this::endCaretaker);
      this.partitions = agreement.partitions(patience - (Agreement.nowMillis() - begun));
    } catch (Throwable e) {
      closed = true; // ends the caretaker
      opened.forEach(Runnable::run);
      throw e;
    }
  }

  static Consumer<String, byte[]> consumer(Map<String, Object> config) {
    return new KafkaConsumer<>(config, new StringDeserializer(), new ByteArrayDeserializer());
  }

  static Producer<String, byte[]> producer(Map<String, Object> config) {
    return new KafkaProducer<>(config, new StringSerializer(), new ByteArraySerializer());
  }

  static Map<String, Object> clientConfig(Map<String, ?> config, String suffix) {
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
    all.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_uncommitted");
    all.put(ConsumerConfig.FETCH_MIN_BYTES_CONFIG, 1);
    all.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, maxWait);
    all.putIfAbsent(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 5_000);
    return all;
  }

  // The caretaker.

  private boolean care() throws InterruptedException {
    if (!agreement.isDone()) {
      checkedAt = Agreement.nowMillis();
      agreement.start();
    }
    long wait = closed ? 0 : checkedAt + checkMillis - Agreement.nowMillis();
    Given next = again.poll(Math.max(wait, 0), TimeUnit.MILLISECONDS);
    if (next != null) {
      send(next);
    } else if (!closed) {
      checkedAt = Agreement.nowMillis();
      agreement.check();
    }
    return !closed || next != null;
  }

  private void react(Throwable failure) {
    boolean isOfTheEnd = // of this store
        failure instanceof InterruptedException
            || failure instanceof InterruptException
            || failure instanceof IllegalStateException;
    if (!agreement.fail(failure) && !isOfTheEnd) {
      Foreign.log(
          Level.WARNING, "Cannot look at the topic " + topic + "; the next try follows", failure);
    }
  }

  // Ids and answers.

  /** Returns the place from where to look for an id. */
  private LogReader.Place place(String id) {
    Matcher parts = ID.matcher(id);
    if (!parts.matches()) {
      Matcher own = OWN_ID.matcher(id);
      return place(
          id,
          Math.floorMod(id.hashCode(), partitions),
          own.matches() ? Long.parseLong(own.group(1)) : 0);
    }
    int partition = Integer.parseInt(parts.group(1));
    if (partition >= partitions) {
      throw new IllegalArgumentException(
          "ids of topic "
              + topic
              + " use "
              + partitions
              + " partitions, not that of "
              + ForeignText.of(id));
    }
    return place(id, partition, Long.parseLong(parts.group(2)));
  }

  private LogReader.Place place(String id, int partition, long since) {
    long ahead = since - clock.getAsLong();
    if (ahead > agreement.aheadMillis()) {
      throw new IllegalArgumentException(
          "the time of the id "
              + ForeignText.of(id)
              + " is "
              + Duration.ofMillis(ahead)
              + " ahead of the clock of this instance");
    }
    return new LogReader.Place(id, new TopicPartition(topic, partition), since);
  }

  /**
   * {@inheritDoc}
   *
   * @throws AnswerStoreException if the topic cannot be used, or the clock of this instance is too
   *     far ahead
   */
  @Override
  public String newId() {
    AnswerStoreException reason = agreement.refusal();
    if (reason != null) {
      throw new AnswerStoreException(requireNonNull(reason.getMessage()), reason);
    }
    String random = UUID.randomUUID().toString().replace("-", "");
    return agreement.home() + "." + clock.getAsLong() + "." + random;
  }

  /**
   * {@inheritDoc}
   *
   * <p>It can block as {@link KafkaProducer#send} can: for {@code max.block.ms} at most, while
   * Kafka is unavailable. It fails after {@code delivery.timeout.ms} and half a minute at the
   * latest.
   *
   * @throws IllegalArgumentException if the id has a partition that is not in use, or a time that
   *     is too far ahead
   */
  @Override
  public CompletableFuture<Completion<byte[]>> complete(String id, byte[] answer) {
    LogReader.Place place = place(id);
    ProducerRecord<String, byte[]> record = record(place, answer, clock.getAsLong());
    CompletableFuture<RecordMetadata> written = write(record);
    return written
        .handle((metadata, error) -> error)
        .thenCompose(
            error -> {
              if (error instanceof AnswerStoreException) {
                return CompletableFuture.failedFuture(error);
              }
              return reader
                  .look(place, error == null ? until(written.join()) : LogReader.THE_END)
                  .handle(
                      (found, failure) ->
                          completion(
                              record, error, found == null ? null : found.orElse(null), failure));
            });
  }

  /**
   * {@inheritDoc} It reads nothing.
   *
   * <p>It can block as {@link #complete} can. If it fails, the answer may have been stored.
   *
   * @throws IllegalArgumentException as for {@link #complete}
   */
  @Override
  public CompletableFuture<Void> offer(String id, byte[] answer) {
    return write(record(place(id), answer, clock.getAsLong()))
        .handle(
            (metadata, error) -> {
              if (error != null) {
                throw notWritten(id, error);
              }
              return null;
            });
  }

  /** Fails as the store is closed, or with what the store says about the failure. */
  private static CompletionException notWritten(String id, Throwable error) {
    return new CompletionException(
        error instanceof IllegalStateException || error instanceof AnswerStoreException
            ? error
            : AnswerStoreException.cannotWrite(id, error));
  }

  /**
   * Says which answer is the first.
   *
   * @param error why the record may not have been written; null if it was
   * @param first the first record of the id; null if there is none, or the look failed
   * @param failure why the look failed; null if it did not
   */
  static Completion<byte[]> completion(
      ProducerRecord<String, byte[]> given,
      @Nullable Throwable error,
      @Nullable ConsumerRecord<String, byte[]> first,
      @Nullable Throwable failure) {
    if (first != null) {
      return new Completion<>(isSame(given, first), first.value());
    }
    if (failure instanceof IllegalStateException) { // the store is closed
      throw new CompletionException(failure);
    }
    if (error != null) {
      throw notWritten(given.key(), error);
    }
    throw new CompletionException(
        new AnswerStoreException(
            "the first answer to "
                + ForeignText.of(given.key())
                + " cannot be found; one was written",
            failure));
  }

  static boolean isSame(
      ProducerRecord<String, byte[]> given, ConsumerRecord<String, byte[]> found) {
    return Arrays.equals(token(found.headers()), token(given.headers()));
  }

  private static byte @Nullable [] token(Headers headers) {
    Header token = headers.lastHeader(Window.TOKEN);
    return token == null ? null : token.value();
  }

  static ProducerRecord<String, byte[]> record(LogReader.Place place, byte[] value, long now) {
    requireNonNull(value, "answer"); // Kafka would take it
    byte[] token = UUID.randomUUID().toString().getBytes(US_ASCII);
    return new ProducerRecord<>(
        place.partition().topic(),
        place.partition().partition(),
        Math.max(now, place.since()),
        place.id(),
        value,
        List.of(new RecordHeader(Window.TOKEN, token)));
  }

  private CompletableFuture<RecordMetadata> write(ProducerRecord<String, byte[]> record) {
    AnswerStoreException reason = agreement.refusal();
    if (reason != null) {
      return CompletableFuture.failedFuture(reason);
    }
    Given given = new Given(record);
    send(given);
    return given.written;
  }

  private void send(Given given) {
    given.times++;
    try {
      var unused =
          producer.send(
              given.record,
              (metadata, error) -> {
                try {
                  boolean isSentAgain =
                      isBatchMate(error) && given.times < MOST_TIMES && again.offer(given);
                  written.addAndGet(error == null ? 1 : 0);
                  if (!isSentAgain || (closed && again.remove(given))) { // nobody sends it
                    given.end(metadata, error);
                  }
                } catch (Throwable e) { // it would end a thread of Kafka
                  given.fail(e);
                }
              });
    } catch (IllegalStateException e) {
      given.fail(Followers.closedException());
    } catch (Throwable e) { // the caretaker has taken it from its queue
      given.fail(e);
    }
  }

  /** The producer fails what Kafka has refused with one of several subclasses. */
  private static boolean isBatchMate(@Nullable Exception error) {
    return error != null && error.getClass() == KafkaException.class;
  }

  /** Returns the end of a look for the first record of an id. */
  static long until(RecordMetadata written) {
    return written.hasOffset() ? written.offset() + 1 : LogReader.THE_END;
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalArgumentException as for {@link #complete}
   */
  @Override
  public CompletableFuture<byte[]> follow(String id) {
    LogReader.Place place = place(id);
    AnswerStoreException reason = agreement.refusal();
    return reason == null ? reader.follow(place) : CompletableFuture.failedFuture(reason);
  }

  @Override
  public AnswerStoreMetrics metrics() {
    LogReader.Reading reading = reader.reading();
    return new AnswerStoreMetrics(
        written.get(),
        reader.recordsRead(),
        reading.looks(),
        reading.windowBytes(),
        reading.windowsBegunAnew(),
        0);
  }

  /** {@inheritDoc} It waits up to five seconds for answers that are being written. */
  @Override
  public void close() {
    close(producer, FLUSH);
    reader.close();
    endCaretaker();
  }

  static void close(Producer<?, ?> producer, Duration flush) {
    try {
      producer.close(flush);
    } catch (InterruptException e) {
      // The thread is interrupted still. The producer ends without it.
    }
  }

  /** Ends what it may wait for, then the caretaker. */
  private void endCaretaker() {
    closed = true;
    admin.close(Duration.ZERO);
    caretaker.interrupt();
    Loop.join(caretaker, STOP_MILLIS);
  }
}
