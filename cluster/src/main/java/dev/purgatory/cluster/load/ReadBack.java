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
   * @param consumer the consumer, closed with this object
   * @param ledger records the messages
   */
  ReadBack(KafkaConsumer<byte[], byte[]> consumer, MessageLedger ledger) {
    this.consumer = consumer;
    this.ledger = ledger;
    consumer.assign(Topics.all());
    consumer.seekToBeginning(Topics.all());
  }

  /**
   * Reads to the end.
   *
   * @param patience how long to wait for the next message before giving up
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
