package dev.purgatory.cli.release;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Follows docs/operators/kafka-operators.md with a release of Kafka: installs the drop-in, verifies
 * that it is active, and removes it. Releases are not on Maven Central, so this runs only if the
 * property {@code kafka.home} or the variable {@code KAFKA_HOME} names an unpacked one.
 */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class KafkaReleaseTest {
  private static final String HOME =
      System.getProperty("kafka.home", System.getenv().getOrDefault("KAFKA_HOME", ""));
  private static final Path JAR = Path.of("..", "kafka", "target", "purgatory-kafka.jar");
  private static final String ACTIVE = "Request purgatories are held by Purgatory";
  private static final int PATIENCE_SECONDS = 60;

  @TempDir private Path folder;

  @BeforeAll
  static void requireARelease() {
    assumeTrue(
        !HOME.isEmpty(),
        "NOT TESTED: the drop-in with Kafka's start script; set -Dkafka.home to a release");
    assertThat(Path.of(HOME, "bin", "kafka-server-start.sh")).isExecutable();
    assertThat(JAR).isRegularFile();
  }

  private static String jar() {
    return JAR.toAbsolutePath().normalize().toString();
  }

  @Test
  void jarInTheClassPathVariable_isActive_andARestartWithoutItRollsBack() throws Exception {
    ReleasedBroker broker = new ReleasedBroker(Path.of(HOME), folder);
    try (broker) {
      broker.start(jar());
      assertThat(broker.dropIn()).hasValueSatisfying(line -> assertThat(line).contains("Kafka 4."));
      assertThat(broker.log()).containsOnlyOnce(ACTIVE);
      produce(broker.bootstrap());
    }
    try (broker) {
      broker.start("");
      assertThat(broker.dropIn()).isEmpty();
      assertThat(broker.log()).containsOnlyOnce(ACTIVE);
      assertThat(consume(broker.bootstrap())).isEqualTo("hello");
    }
  }

  @Test
  void jarInLibs_isActiveOnlyIfItsNameSortsFirst() throws Exception {
    Path home = copyOfRelease();
    try (ReleasedBroker broker = new ReleasedBroker(home, data("last"))) {
      Path named = Files.copy(JAR, home.resolve("libs/purgatory-kafka.jar"));
      broker.start("");
      assertThat(broker.dropIn()).as("Kafka's classes come first").isEmpty();
      Files.delete(named);
    }
    try (ReleasedBroker broker = new ReleasedBroker(home, data("first"))) {
      Files.copy(JAR, home.resolve("libs/00-purgatory-kafka.jar"));
      broker.start("");
      assertThat(broker.dropIn()).isPresent();
    }
  }

  private Path data(String name) throws IOException {
    return Files.createDirectory(folder.resolve(name));
  }

  /** Copies the scripts and settings, and links the jars. */
  private Path copyOfRelease() throws IOException {
    Path copy = Files.createDirectory(folder.resolve("kafka"));
    for (String part : List.of("bin", "config", "libs")) {
      Files.createDirectory(copy.resolve(part));
      try (Stream<Path> files = Files.list(Path.of(HOME, part))) {
        for (Path file : files.filter(Files::isRegularFile).toList()) {
          copy(file, copy.resolve(part).resolve(file.getFileName()));
        }
      }
    }
    return copy;
  }

  private static void copy(Path file, Path copy) throws IOException {
    if (file.toString().endsWith(".jar")) {
      Files.createSymbolicLink(copy, file.toAbsolutePath());
    } else {
      Files.copy(file, copy, StandardCopyOption.COPY_ATTRIBUTES);
    }
  }

  private static void produce(String bootstrap) throws Exception {
    StringSerializer strings = new StringSerializer();
    Map<String, Object> settings = Map.of("bootstrap.servers", bootstrap);
    try (KafkaProducer<String, String> producer = new KafkaProducer<>(settings, strings, strings)) {
      producer
          .send(new ProducerRecord<>("greetings", "hello"))
          .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }
  }

  private static String consume(String bootstrap) {
    StringDeserializer strings = new StringDeserializer();
    Map<String, Object> settings =
        Map.of("bootstrap.servers", bootstrap, "group.id", "test", "auto.offset.reset", "earliest");
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
