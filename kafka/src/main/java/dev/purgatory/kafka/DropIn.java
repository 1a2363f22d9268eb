package dev.purgatory.kafka;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Announces in the log and as an MBean that the drop-in is active. */
public final class DropIn implements DropInMXBean {
  private static final Logger LOG = LoggerFactory.getLogger(DropIn.class);

  /** Until 4.0, some operations of Kafka pass a lock to the constructor of their superclass. */
  private static final Pattern TOO_OLD = Pattern.compile("[0-3]\\.|4\\.0\\.");

  private static final String KAFKA = kafkaVersion();

  static {
    if (!isTooOld(KAFKA)) {
      DropIn dropIn = new DropIn();
      LOG.info(
          "Request purgatories are held by Purgatory {} in Kafka {}", dropIn.getVersion(), KAFKA);
      MBeans.register("dev.purgatory:type=DropIn", dropIn);
    }
  }

  private DropIn() {}

  /**
   * Announces the drop-in on the first call; later calls have no effect.
   *
   * @throws IllegalStateException if the broker's Kafka is too old; the broker then fails to start,
   *     instead of failing at a request
   */
  public static void announce() {
    check(KAFKA);
  }

  static void check(String kafkaVersion) {
    if (isTooOld(kafkaVersion)) {
      throw new IllegalStateException(
          "Purgatory's drop-in needs Kafka 4.1 or newer, but this is Kafka "
              + kafkaVersion
              + ": start the broker without purgatory-kafka.jar");
    }
  }

  private static boolean isTooOld(String kafkaVersion) {
    return TOO_OLD.matcher(kafkaVersion).lookingAt();
  }

  @Override
  public String getVersion() {
    String version = DropIn.class.getPackage().getImplementationVersion();
    return version == null ? "unknown" : version;
  }

  @Override
  public String getKafkaVersion() {
    return KAFKA;
  }

  /** Reads Kafka's resource, because the class that reads it has moved between versions. */
  private static String kafkaVersion() {
    Properties kafka = new Properties();
    try (InputStream resource =
        DropIn.class.getResourceAsStream("/kafka/kafka-version.properties")) {
      if (resource != null) {
        kafka.load(resource);
      }
    } catch (IOException e) {
      LOG.debug("The version of Kafka cannot be read", e);
    }
    return kafka.getProperty("version", "unknown");
  }
}
