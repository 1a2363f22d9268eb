package dev.purgatory.answers;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ObjLongConsumer;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.jspecify.annotations.Nullable;

/**
 * Carries signals between instances through a topic of Apache Kafka.
 *
 * <p>A signal that an instance sends once the constructor of another one has returned reaches that
 * one at least once. If it may not, because Kafka is away for longer than {@code
 * delivery.timeout.ms}, too many keys wait, or the topic deletes records before they are read, a
 * warning is logged, {@link #lost} counts it, and if the sender knows, the result of the signal
 * fails. Nothing is lost while an instance or a broker is only slow or absent for a time.
 *
 * <p>The topic has {@code cleanup.policy=delete}. Only its first partition is used. The permissions
 * that are needed are to describe the topic and its configuration, to read and to write it. There
 * are no consumer groups.
 *
 * <p>There are three threads: one receives and calls the receivers, so a condition that blocks
 * delays the signals behind it; one sends; and one is the producer's. Up to 100,000 keys can wait
 * to be sent, and nothing else is kept.
 */
public final class KafkaSignals implements SharedSignals {

  /*
   * Sending. A signal is put into a map, `waiting`, and its caller goes on: no caller waits for Kafka. The
   * sender exchanges the map for an empty one, sends what it has, waits until that is written, and takes
   * the next one. So hints with the same key are merged while others are under way, and a key that is
   * signalled a thousand times per round trip costs one record. It is right to merge a hint into one that
   * waits, as that is read after both events; into one that is under way it would not be.
   *
   * Receiving. The reader has been at the end of the partition when the constructor returns, and only
   * moves forward, past a damaged record, too. A record of this instance is skipped: its signals were received
   * when they were sent. Hints of one poll are merged, too. If the position has been deleted, the reader continues at the
   * beginning of the remaining records: signals that come again do no harm, and numbers never shrink.
   *
   * One partition, as each instance reads everything anyway, and partitions that are added later could not
   * be missed by an instance that runs. Rejected: a consumer group for each instance (groups are left
   * behind, and it takes one rebalance to start); no merging (a follower that advances with each record
   * would double the traffic).
   *
   * `lock` guards `waiting` and the writes of `closed`; no foreign code runs under it.
   */

  private static final String INSTANCE = "purgatory-instance";
  private static final int MOST_WAITING = 100_000;
  private static final int FETCH_WAIT_MILLIS = 500;
  private static final Duration START = Duration.ofSeconds(30);
  private static final Duration POLL = Duration.ofSeconds(1);
  private static final long FLUSH_MILLIS = 5_000;
  private static final long STOP_MILLIS = 10_000;

  /** A hint that waits to be sent. */
  private static final class Waiting {
    /** The greatest one. */
    long number = Long.MIN_VALUE;

    final CompletableFuture<Void> written = new CompletableFuture<>();

    /** Returned to callers, who share it and cannot complete it. */
    final CompletionStage<Void> result = written.minimalCompletionStage();
  }

  private final TopicPartition partition;
  private final Consumer<String, byte[]> consumer;
  private final Producer<String, byte[]> producer;
  private final Hint.Receivers receivers;
  private final int mostWaiting;
  private final byte[] instance = UUID.randomUUID().toString().getBytes(US_ASCII);
  private final AtomicLong lost = new AtomicLong();
  private final Thread reader;
  private final Thread sender;

  private final Object lock = new Object();
  private Map<Hint, Waiting> waiting = new LinkedHashMap<>();

  /** The sender's: what it has taken from the above, and has not settled yet. */
  private Map<Hint, Waiting> batch = new LinkedHashMap<>();

  /** Read by the reader without the lock: it may poll once more. */
  private volatile boolean closed;

  /**
   * Connects to Kafka. It waits for Kafka: to describe the topic, for {@code
   * default.api.timeout.ms} at most, by default a minute, and then to read it, for half a minute.
   *
   * @param config what Kafka's clients need, such as {@code bootstrap.servers} and credentials;
   *     other settings of producers and consumers can be among it, such as {@code
   *     delivery.timeout.ms}
   * @param topic a topic for signals only
   * @param onSignal gets each key that an instance signals, for instance {@code purgatory::signal}
   * @param onAdvance gets each key and number that an instance advances, for instance {@code
   *     thresholds::advance}
   * @throws IllegalArgumentException if there is no such topic, or it is compacted
   * @throws AnswerStoreException if Kafka does not answer, or refuses access
   */
  public KafkaSignals(
      Map<String, ?> config,
      String topic,
      java.util.function.Consumer<? super String> onSignal,
      ObjLongConsumer<? super String> onAdvance) {
    this(
        checked(config, topic),
        new Hint.Receivers(onSignal, onAdvance),
        KafkaAnswerStore.consumer(consumerConfig(config)),
        () -> KafkaAnswerStore.producer(KafkaAnswerStore.producerConfig(config, "signal")),
        MOST_WAITING);
  }

  KafkaSignals(
      String topic,
      Hint.Receivers receivers,
      Consumer<String, byte[]> consumer,
      Supplier<Producer<String, byte[]>> producer,
      int mostWaiting) {
    this.partition = new TopicPartition(topic, 0);
    this.consumer = consumer;
    this.producer = created(producer, consumer);
    this.receivers = receivers;
    this.mostWaiting = mostWaiting;
    try {
      consumer.assign(Set.of(partition));
      consumer.seekToEnd(Set.of(partition));
      consumer.position(partition, START);
      this.sender = Loop.start("purgatory-signals-sender-" + topic, this::send, this::reactToSend);
      this.reader = Loop.start("purgatory-signals-reader-" + topic, this::read, this::reactToRead);
    } catch (Throwable e) { // no reader has started
      synchronized (lock) {
        closed = true; // ends the sender
        lock.notifyAll();
      }
      LogReader.closeQuietly(consumer);
      this.producer.close(Duration.ZERO);
      if (e instanceof KafkaException) {
        throw new AnswerStoreException("cannot read the topic " + topic, e);
      }
      throw e;
    }
  }

  /** Creates the producer. If its configuration is not valid, closes the consumer. */
  private static Producer<String, byte[]> created(
      Supplier<Producer<String, byte[]>> producer, Consumer<String, byte[]> consumer) {
    try {
      return producer.get();
    } catch (RuntimeException e) {
      LogReader.closeQuietly(consumer);
      throw e;
    }
  }

  private static String checked(Map<String, ?> config, String topic) {
    try (Admin admin = Admin.create(KafkaAnswerStore.clientConfig(config, "check"))) {
      var unused = Agreement.describe(admin, topic, Map.of());
    }
    return topic;
  }

  private static Map<String, Object> consumerConfig(Map<String, ?> config) {
    Map<String, Object> all = KafkaAnswerStore.consumerConfig(config, "receive", FETCH_WAIT_MILLIS);
    all.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none"); // so that a loss is noticed
    return all;
  }

  /** {@inheritDoc} It does not wait for Kafka. */
  @Override
  public CompletionStage<Void> signal(String key) {
    return tell(new Hint(key, false), 0);
  }

  /** {@inheritDoc} It does not wait for Kafka. */
  @Override
  public CompletionStage<Void> advance(String key, long number) {
    return tell(Hint.ofAdvance(key, number), number);
  }

  private CompletionStage<Void> tell(Hint hint, long number) {
    CompletionStage<Void> result = enqueue(hint, number);
    receivers.receive(hint, number);
    return result;
  }

  private CompletionStage<Void> enqueue(Hint hint, long number) {
    synchronized (lock) {
      if (closed) {
        return CompletableFuture.failedStage(new IllegalStateException("signals are closed"));
      }
      Waiting entry = waiting.get(hint);
      if (entry == null && waiting.size() < mostWaiting) {
        entry = new Waiting();
        waiting.put(hint, entry);
        lock.notifyAll();
      }
      if (entry != null) {
        entry.number = Math.max(entry.number, number);
        return entry.result;
      }
    }
    Exception full = new RejectedExecutionException("too many keys wait to be signalled");
    lose(full);
    return CompletableFuture.failedStage(full);
  }

  /**
   * Returns how much was lost, as far as this instance knows: hints that it could not send, plus
   * how often it found that the topic had deleted records that it had not read.
   *
   * @return 0 or more. If it grows, waiters may have missed a signal: those with {@code
   *     recheckEvery} look again by themselves
   */
  public long lost() {
    return lost.get();
  }

  private void lose(Throwable cause) {
    lost.incrementAndGet();
    warn("Signals may not have reached other instances", cause);
  }

  private void warn(String message, Throwable cause) {
    Foreign.warn(message + " (topic " + partition.topic() + ")", cause);
  }

  // The sender.

  private boolean send() throws InterruptedException {
    if (batch.isEmpty()) {
      synchronized (lock) {
        while (waiting.isEmpty() && !closed) {
          lock.wait();
        }
        if (waiting.isEmpty()) {
          return false;
        }
        Map<Hint, Waiting> next = new LinkedHashMap<>();
        batch = waiting;
        waiting = next;
      }
    }
    sendBatch();
    return true;
  }

  /** Fails what is left of a batch, unless a dependent has left an interrupt. */
  private void reactToSend(Throwable failure) {
    if (failure instanceof InterruptedException) {
      return;
    }
    for (Iterator<Waiting> each = batch.values().iterator(); each.hasNext(); ) {
      settle(each.next(), failure);
      each.remove();
    }
  }

  private void sendBatch() {
    List<Future<?>> writes = new ArrayList<>(batch.size());
    Throwable unavailable = null;
    for (Map.Entry<Hint, Waiting> each : batch.entrySet()) {
      Future<?> write =
          unavailable == null
              ? write(each.getKey(), each.getValue().number)
              : CompletableFuture.failedFuture(unavailable);
      writes.add(write);
      // A write that fails at once has waited for max.block.ms in vain; so would the next one.
      if (write.isDone() && failure(write) instanceof RetriableException e) {
        unavailable = e;
      }
    }
    Iterator<Waiting> each = batch.values().iterator();
    for (Future<?> write : writes) {
      settle(each.next(), failure(write));
      each.remove();
    }
  }

  private void settle(Waiting entry, @Nullable Throwable failure) {
    if (failure == null) {
      Foreign.call(() -> entry.written.complete(null));
    } else {
      lose(failure);
      Foreign.call(() -> entry.written.completeExceptionally(failure));
    }
  }

  private Future<?> write(Hint hint, long number) {
    byte[] value =
        hint.advances() ? ByteBuffer.allocate(Long.BYTES).putLong(number).array() : new byte[0];
    List<Header> headers = List.of(new RecordHeader(INSTANCE, instance));
    try {
      return producer.send(
          new ProducerRecord<>(partition.topic(), 0, null, hint.key(), value, headers));
    } catch (Throwable e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private static @Nullable Throwable failure(Future<?> write) {
    while (true) {
      try {
        write.get();
        return null;
      } catch (ExecutionException e) {
        return e.getCause();
      } catch (InterruptedException e) {
        // Nobody but a debugger interrupts this thread; it ends when it is closed.
      }
    }
  }

  // The reader.

  private boolean read() {
    if (closed) {
      LogReader.closeQuietly(consumer);
      return false;
    }
    ConsumerRecords<String, byte[]> records = consumer.poll(POLL);
    try {
      receive(records);
    } catch (Throwable e) {
      lose(e);
      throw e;
    }
    return true;
  }

  private void reactToRead(Throwable failure) {
    if (failure instanceof OffsetOutOfRangeException) {
      consumer.seekToBeginning(Set.of(partition));
      lost.incrementAndGet();
      warn("Signals were deleted before this instance has read them", failure);
    } else if (failure instanceof KafkaException e && Poll.isOfOnePartition(e)) {
      consumer.seek(partition, consumer.position(partition, POLL) + 1); // a damaged record
      lose(failure);
      Loop.pause();
    } else if (!(failure instanceof WakeupException || failure instanceof InterruptException)) {
      warn("Signals of other instances cannot be read now", failure);
      Loop.pause();
    }
  }

  private void receive(ConsumerRecords<String, byte[]> records) {
    Map<Hint, Long> hints = new LinkedHashMap<>();
    for (ConsumerRecord<String, byte[]> each : records) {
      byte[] value = each.value();
      if (each.key() == null || value == null || isOwn(each)) {
        continue;
      }
      if (value.length == 0) {
        hints.put(new Hint(each.key(), false), 0L);
      } else if (value.length == Long.BYTES) {
        hints.merge(new Hint(each.key(), true), ByteBuffer.wrap(value).getLong(), Math::max);
      }
    }
    hints.forEach((hint, number) -> Foreign.call(() -> receivers.receive(hint, number)));
  }

  private boolean isOwn(ConsumerRecord<String, byte[]> record) {
    Header header = record.headers().lastHeader(INSTANCE);
    return header != null && Arrays.equals(header.value(), instance);
  }

  /** {@inheritDoc} It waits up to five seconds for signals that are being sent; then they fail. */
  @Override
  public void close() {
    synchronized (lock) {
      closed = true;
      lock.notifyAll();
    }
    consumer.wakeup();
    Loop.join(sender, FLUSH_MILLIS);
    // Fails records that are not written, which ends the sender.
    KafkaAnswerStore.close(producer, Duration.ZERO);
    Loop.join(sender, STOP_MILLIS);
    Loop.join(reader, STOP_MILLIS);
  }
}
