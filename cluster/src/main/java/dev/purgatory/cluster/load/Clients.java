package dev.purgatory.cluster.load;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Creates Kafka clients. Settings that the load does not need to change keep Kafka's defaults. */
final class Clients {
  private Clients() {}

  /** Returns the settings that all clients share. */
  static Map<String, Object> common(String bootstrap) {
    Map<String, Object> settings = new HashMap<>();
    settings.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
    // There are hundreds of clients in one process, and nothing reads their metrics.
    settings.put(CommonClientConfigs.METRIC_REPORTER_CLASSES_CONFIG, "");
    settings.put(CommonClientConfigs.ENABLE_METRICS_PUSH_CONFIG, false);
    // When a node dies, clients should give it up and find the new leader in seconds, not minutes.
    settings.put(CommonClientConfigs.METADATA_MAX_AGE_CONFIG, 2_000);
    settings.put(CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG, 5_000);
    return settings;
  }

  /** Creates an idempotent producer that waits for all replicas. */
  static KafkaProducer<byte[], byte[]> producer(String bootstrap) {
    Map<String, Object> settings = common(bootstrap);
    settings.put(ProducerConfig.ACKS_CONFIG, "all");
    settings.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
    // With several requests in flight, a batch that follows a failed one may be refused as out of
    // sequence again and again, until its delivery times out after two minutes.
    settings.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 1);
    return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
  }

  /** Creates a consumer that reads its partitions from the beginning, with long polls of 500 ms. */
  static KafkaConsumer<byte[], byte[]> consumer(String bootstrap) {
    Map<String, Object> settings = common(bootstrap);
    settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    return new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }
}
