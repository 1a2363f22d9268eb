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

/** One consumer on a thread and connections of its own, which polls until it is stopped. */
final class LongPoller {
  /** Most of hundreds of threads sleep; their stacks need not be the size of a program's. */
  private static final long STACK_BYTES = 256 * 1024;

  private static final Duration POLL = Duration.ofSeconds(1);

  private final KafkaConsumer<byte[], byte[]> consumer;
  private final List<TopicPartition> partitions;
  private final Consumer<ConsumerRecord<byte[], byte[]>> onMessage;
  private final Consumer<KafkaException> onError;
  private final Thread thread;

  private volatile boolean stopped;

  /**
   * A consumer that does not poll yet.
   *
   * @param name its thread's name
   * @param consumer what polls; closed at the end
   * @param partitions what it reads
   * @param onMessage gets each message, on the consumer's thread
   * @param onError gets what the consumer could not get over by itself; it polls on after that
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

  /** Tells the consumer to end, without waiting for it. */
  void stop() {
    stopped = true;
    consumer.wakeup();
  }

  /**
   * Waits until the consumer, told to end, has ended.
   *
   * @param millis how long to wait
   * @throws InterruptedException when the waiting thread is interrupted
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
      // Told to stop; the loop sees it.
    } catch (KafkaException e) {
      onError.accept(e);
    }
  }
}
