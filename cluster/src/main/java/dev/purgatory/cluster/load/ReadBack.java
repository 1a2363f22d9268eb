package dev.purgatory.cluster.load;

import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;

/** Reads all partitions from the beginning to their current ends. */
final class ReadBack implements AutoCloseable {
  private static final Duration POLL = Duration.ofSeconds(1);

  private final KafkaConsumer<byte[], byte[]> consumer;
  private final MessageLedger ledger;

  /**
   * Creates a reader.
   *
   * @param consumer the consumer, which is closed together with this object
   * @param ledger the ledger that records the messages
   */
  ReadBack(KafkaConsumer<byte[], byte[]> consumer, MessageLedger ledger) {
    this.consumer = consumer;
    this.ledger = ledger;
    consumer.assign(Topics.all());
    consumer.seekToBeginning(Topics.all());
  }

  /**
   * Reads until the end.
   *
   * @param patience the longest time to wait for the next message
   */
  void read(Duration patience) {
    Map<TopicPartition, Long> ends = consumer.endOffsets(Topics.all());
    long deadline = System.nanoTime() + patience.toNanos();
    while (!isAt(ends) && System.nanoTime() - deadline < 0) {
      if (poll() > 0) {
        deadline = System.nanoTime() + patience.toNanos();
      }
    }
  }

  private boolean isAt(Map<TopicPartition, Long> ends) {
    return ends.entrySet().stream()
        .allMatch(end -> consumer.position(end.getKey()) >= end.getValue());
  }

  private int poll() {
    ConsumerRecords<byte[], byte[]> messages = consumer.poll(POLL);
    for (ConsumerRecord<byte[], byte[]> message : messages) {
      ledger.received(message);
    }
    return messages.count();
  }

  @Override
  public void close() {
    consumer.close();
  }
}
