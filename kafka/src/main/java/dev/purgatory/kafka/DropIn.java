package dev.purgatory.kafka;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Announces in the log and as an MBean that the drop-in is active. */
public final class DropIn implements DropInMXBean {
  private static final Logger LOG = LoggerFactory.getLogger(DropIn.class);

  /** Until 4.0, some operations of Kafka pass a lock to the constructor of their superclass. */
  private static final Pattern TOO_OLD = Pattern.compile("[0-3]\\.|4\\.0\\.");

  private static final Pattern MINOR = Pattern.compile("\\d+\\.\\d+");

  /** The releases whose own tests pass on the drop-in, as it is packed; the last one in brokers. */
  static final List<String> TESTED = List.of("4.1.2", "4.2.1", "4.3.1");

  private static final String KAFKA = kafkaVersion();

  static {
    if (!isTooOld(KAFKA)) {
      DropIn dropIn = new DropIn();
      LOG.info(
          "Request purgatories are held by Purgatory {} in Kafka {}", dropIn.getVersion(), KAFKA);
      if (!isTested(KAFKA)) {
        LOG.warn(
            "Purgatory's drop-in was not tested with Kafka {}, only with {}: "
                + "to use Kafka's own classes, start the broker without purgatory-kafka.jar",
            KAFKA,
            TESTED);
      }
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

  /**
   * Returns whether this is one of the tested releases, or another one of the same minor version.
   */
  static boolean isTested(String kafkaVersion) {
    return TESTED.stream().map(DropIn::minor).anyMatch(minor(kafkaVersion)::equals);
  }

  /** Returns the first two numbers, or the whole version if it does not begin with two. */
  private static String minor(String version) {
    Matcher minor = MINOR.matcher(version);
    return minor.lookingAt() ? minor.group() : version;
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

  @Override
  public boolean isTested() {
    return isTested(KAFKA);
  }

  @Override
  public String getTestedKafkaVersions() {
    return String.join(" ", TESTED);
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
