package dev.purgatory.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.cluster.node.Ports;
import dev.purgatory.cluster.probe.ClusterMonitor;
import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Starts real brokers. The time limits allow for busy machines. */
class SingleBrokerTest {
  private static final String CLASS_PATH =
      Path.of("target", "lib").toAbsolutePath() + File.separator + "*";
  private static final int PATIENCE_SECONDS = 60;

  @TempDir private Path folder;

  @Test
  @Timeout(value = 180, unit = TimeUnit.SECONDS)
  void servesClientsAndKeepsItsDataAndIsMonitored() throws Exception {
    try (SingleBroker broker = new SingleBroker(Ports.free(1).get(0), folder, CLASS_PATH)) {
      assertThat(broker.start(false)).contains("stock Kafka");
      produce(broker.bootstrap());
      try (ClusterMonitor monitor = new ClusterMonitor(List.of(broker.node()))) {
        monitor.start();
        assertThat(monitor.total().cpu()).as("the first sample").isPositive();
      }
    }
    try (SingleBroker broker = new SingleBroker(Ports.free(1).get(0), folder, CLASS_PATH)) {
      broker.start(false);
      assertThat(consume(broker.bootstrap())).isEqualTo("hello");
    }
  }

  private static void produce(String bootstrap) throws Exception {
    Map<String, Object> settings = Map.of("bootstrap.servers", bootstrap);
    StringSerializer strings = new StringSerializer();
    try (KafkaProducer<String, String> producer = new KafkaProducer<>(settings, strings, strings)) {
      producer
          .send(new ProducerRecord<>("greetings", "hello"))
          .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }
  }

  private static String consume(String bootstrap) {
    Map<String, Object> settings =
        Map.of("bootstrap.servers", bootstrap, "group.id", "test", "auto.offset.reset", "earliest");
    StringDeserializer strings = new StringDeserializer();
    try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(settings, strings, strings)) {
      consumer.subscribe(List.of("greetings"));
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
      while (System.nanoTime() - deadline < 0) {
        for (ConsumerRecord<String, String> message : consumer.poll(Duration.ofSeconds(1))) {
          return message.value();
        }
      }
      return "nothing";
    }
  }
}
