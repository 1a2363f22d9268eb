package dev.purgatory.kafka;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Announces in the log and as an MBean that the drop-in is active. */
public final class DropIn implements DropInMXBean {
  private static final Logger LOG = LoggerFactory.getLogger(DropIn.class);

  /** The version of Kafka. */
  static final String KAFKA = kafkaVersion();

  /** The rows of the releases with which {@code ./purgatory qualify} ran, by their version. */
  private static final Map<String, String> ROWS = rows();

  private static final Optional<String> MISFIT = misfit(DropIn.class.getClassLoader());

  static {
    if (MISFIT.isEmpty()) {
      DropIn dropIn = new DropIn();
      LOG.info(
          "Request purgatories are held by Purgatory {} in Kafka {}", dropIn.getVersion(), KAFKA);
      if (!dropIn.isTested()) {
        LOG.warn(
            "Purgatory's drop-in was not tested with Kafka {}, only with {}: "
                + "to use Kafka's own classes, start the broker without purgatory-kafka.jar",
            KAFKA,
            ROWS.keySet());
      }
      MBeans.register("dev.purgatory:type=DropIn", dropIn);
    }
  }

  private DropIn() {}

  /**
   * Announces the drop-in on the first call; later calls have no effect.
   *
   * @throws IllegalStateException if the broker's own classes have other signatures; the broker
   *     then fails to start, instead of failing at a request
   */
  public static void announce() {
    if (MISFIT.isPresent()) {
      throw new IllegalStateException(MISFIT.get());
    }
  }

  /** Returns why the drop-in cannot be used with the classes of a loader; empty if it can. */
  static Optional<String> misfit(ClassLoader loader) {
    Optional<String> reason;
    try {
      reason = new Fit(loader).misfit();
    } catch (IOException e) {
      reason = Optional.of("its classes cannot be read: " + e);
    }
    return reason.map(
        text ->
            "Purgatory's drop-in does not fit this Kafka, "
                + KAFKA
                + ": "
                + text
                + ": start the broker without purgatory-kafka.jar");
  }

  /** Returns the row of a version, without the version; null if there is none. */
  static @Nullable String row(String kafkaVersion) {
    return ROWS.get(kafkaVersion);
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
    return row(KAFKA) != null;
  }

  @Override
  public String getTestedKafkaVersions() {
    return String.join(" ", ROWS.keySet());
  }

  @Override
  public String getQualification() {
    return String.valueOf(row(KAFKA));
  }

  /** Reads the file that the build copies into the jar. Its first line has the columns. */
  private static Map<String, String> rows() {
    Map<String, String> rows = new LinkedHashMap<>();
    try (InputStream resource = DropIn.class.getResourceAsStream("qualified.csv")) {
      String text =
          resource == null ? "" : new String(resource.readAllBytes(), StandardCharsets.UTF_8);
      text.lines().skip(1).map(line -> line.split(",", 2)).forEach(row -> rows.put(row[0], row[1]));
    } catch (IOException e) {
      LOG.debug("The tested versions cannot be read", e);
    }
    return rows;
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
