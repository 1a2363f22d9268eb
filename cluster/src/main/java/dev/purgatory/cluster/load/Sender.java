package dev.purgatory.cluster.load;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.HdrHistogram.Recorder;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/**
 * A producer with its own thread. It sends 40 messages to the next busy partition every 50 ms, and
 * one message to the next quiet partition every 750 ms.
 */
final class Sender {
  private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final int MESSAGES_PER_TICK = 40;
  private static final int TICKS_PER_QUIET_MESSAGE = 15;
  private static final int MESSAGE_BYTES = 100;

  private final int number;
  private final KafkaProducer<byte[], byte[]> producer;
  private final MessageLedger ledger;
  private final Recorder latencyMicros;
  private final Consumer<Exception> onError;
  private final Thread thread;

  private volatile boolean stopped;

  /**
   * Creates a sender, without starting it.
   *
   * @param number the number of the producer in the ledger
   * @param producer the producer, which is closed at the end
   * @param ledger records the messages that are sent and acknowledged
   * @param latencyMicros records the time from sending to acknowledgement, in microseconds
   * @param onError receives the errors of messages that could not be sent
   */
  Sender(
      int number,
      KafkaProducer<byte[], byte[]> producer,
      MessageLedger ledger,
      Recorder latencyMicros,
      Consumer<Exception> onError) {
    this.number = number;
    this.producer = producer;
    this.ledger = ledger;
    this.latencyMicros = latencyMicros;
    this.onError = onError;
    this.thread = new Thread(this::run, "producer-" + number);
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  /** Tells the sender to stop as soon as every message it sent is acknowledged or has failed. */
  void stop() {
    stopped = true;
  }

  /**
   * Waits until the sender has stopped. Messages that are in flight after the given time fail.
   *
   * @param patience the longest time to wait for messages in flight
   * @throws InterruptedException if the thread is interrupted while waiting
   */
  void join(Duration patience) throws InterruptedException {
    thread.join(patience.toMillis());
    producer.close(Duration.ZERO);
    thread.join();
  }

  private void run() {
    long next = System.nanoTime();
    for (int tick = number; !stopped; tick++) {
      sendTick(tick);
      next += TICK_NANOS;
      LockSupport.parkNanos(next - System.nanoTime());
    }
    flush();
  }

  private void sendTick(int tick) {
    try {
      for (int i = 0; i < MESSAGES_PER_TICK; i++) {
        send(Topics.BUSY, tick % Topics.BUSY_PARTITIONS);
      }
      if (tick % TICKS_PER_QUIET_MESSAGE == 0) {
        send(Topics.QUIET, tick / TICKS_PER_QUIET_MESSAGE % Topics.QUIET_PARTITIONS);
      }
    } catch (KafkaException e) {
      onError.accept(e);
    }
  }

  /** Ignores the future, since the callback receives the same result. */
  @SuppressWarnings("FutureReturnValueIgnored")
  private void send(String topic, int partition) {
    MessageId id = ledger.next(number);
    long start = System.nanoTime();
    producer.send(
        new ProducerRecord<>(topic, partition, null, id.toMessage(MESSAGE_BYTES)),
        (metadata, failure) -> onResult(id, start, failure));
  }

  private void onResult(MessageId id, long start, @Nullable Exception failure) {
    if (failure == null) {
      latencyMicros.recordValue(TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - start));
      ledger.acknowledged(id);
    } else {
      onError.accept(failure);
    }
  }

  private void flush() {
    try {
      producer.flush();
    } catch (KafkaException e) {
      onError.accept(e);
    }
  }
}
