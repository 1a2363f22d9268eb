package dev.purgatory.cluster.load;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;

/** A consumer with its own thread and connections that polls until it is stopped. */
final class LongPoller {
  /** Small, since there are hundreds of these threads. */
  private static final long STACK_BYTES = 256 * 1024;

  private static final Duration POLL = Duration.ofSeconds(1);

  private final KafkaConsumer<byte[], byte[]> consumer;
  private final List<TopicPartition> partitions;
  private final Consumer<ConsumerRecord<byte[], byte[]>> onMessage;
  private final Consumer<KafkaException> onError;
  private final Thread thread;

  private volatile boolean stopped;

  /**
   * Creates a poller, without starting it.
   *
   * @param name the name of its thread
   * @param consumer the consumer, which is closed at the end
   * @param partitions the partitions to read
   * @param onMessage receives each message, on the poller's thread
   * @param onError receives errors that the consumer cannot recover from; polling continues
   */
  LongPoller(
      String name,
      KafkaConsumer<byte[], byte[]> consumer,
      List<TopicPartition> partitions,
      Consumer<ConsumerRecord<byte[], byte[]>> onMessage,
      Consumer<KafkaException> onError) {
    this.consumer = consumer;
    this.partitions = List.copyOf(partitions);
    this.onMessage = onMessage;
    this.onError = onError;
    this.thread = new Thread(null, this::run, name, STACK_BYTES);
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  /** Tells the poller to stop, without waiting for it. */
  void stop() {
    stopped = true;
    consumer.wakeup();
  }

  /**
   * Waits until the poller has stopped.
   *
   * @param millis the longest time to wait, in milliseconds
   * @throws InterruptedException if the thread is interrupted while waiting
   */
  void join(long millis) throws InterruptedException {
    thread.join(millis);
  }

  private void run() {
    consumer.assign(partitions);
    while (!stopped) {
      poll();
    }
    consumer.close(CloseOptions.timeout(Duration.ZERO));
  }

  private void poll() {
    try {
      ConsumerRecords<byte[], byte[]> records = consumer.poll(POLL);
      for (ConsumerRecord<byte[], byte[]> message : records) {
        onMessage.accept(message);
      }
    } catch (WakeupException e) {
      // The poller has been stopped.
    } catch (KafkaException e) {
      onError.accept(e);
    }
  }
}
