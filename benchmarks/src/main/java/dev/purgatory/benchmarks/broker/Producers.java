package dev.purgatory.benchmarks.broker;

import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Creates producers that send each message immediately in its own batch, to all replicas. */
final class Producers {
  private Producers() {}

  static KafkaProducer<byte[], byte[]> create(String bootstrap) {
    Map<String, Object> settings =
        Map.of(
            ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
            bootstrap,
            ProducerConfig.ACKS_CONFIG,
            "all",
            ProducerConfig.LINGER_MS_CONFIG,
            0,
            ProducerConfig.BATCH_SIZE_CONFIG,
            0);
    return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
  }
}
