package dev.purgatory.answers;

import dev.purgatory.Purgatory;
import dev.purgatory.Thresholds;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ForkJoinPool;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** A sample of docs/use/answers-across-instances.md: a client reads what it has written. */
final class CopyOfATopic implements AutoCloseable {
  private final String topic;
  private final Map<String, String> copy = new ConcurrentHashMap<>();
  private final Purgatory<Integer> purgatory =
      Purgatory.builder("reads", Integer.class)
          .completionExecutor(ForkJoinPool.commonPool())
          .build();
  private final KafkaProducer<String, String> producer;
  private final KafkaConsumer<String, String> consumer;

  CopyOfATopic(Map<String, Object> config, String topic, List<TopicPartition> partitions) {
    this.topic = topic;
    this.applied = new Thresholds<>(purgatory);
    this.producer = new KafkaProducer<>(config, new StringSerializer(), new StringSerializer());
    this.consumer = new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer());
    consumer.assign(partitions);
    consumer.seekToBeginning(partitions);
  }

  // sample: read-your-writes-over-kafka
  private final Thresholds<Integer> applied; // by partition

  String write(String key, String value) throws InterruptedException, ExecutionException {
    RecordMetadata written = producer.send(new ProducerRecord<>(topic, key, value)).get();
    return written.partition() + ":" + written.offset();
  }

  CompletableFuture<String> read(String key, String after) { // GET ...?after=3:1742
    String[] place = after.split(":", 2);
    return applied
        .reach(Integer.valueOf(place[0]), Long.parseLong(place[1]))
        .orTimeout(Duration.ofSeconds(5))
        .hold()
        .thenApply(offset -> copy.get(key));
  }

  void applyNext() { // again and again, on the thread of the consumer
    for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofSeconds(1))) {
      copy.put(record.key(), record.value());
      applied.advance(record.partition(), record.offset());
    }
  }

  // end

  @Override
  public void close() {
    purgatory.close();
    producer.close();
    consumer.close();
  }
}
