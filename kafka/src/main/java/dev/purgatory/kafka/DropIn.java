package dev.purgatory.kafka;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Announces in the log and as an MBean that the drop-in is active. */
public final class DropIn implements DropInMXBean {
  private static final Logger LOG = LoggerFactory.getLogger(DropIn.class);

  static {
    DropIn dropIn = new DropIn();
    LOG.info(
        "Request purgatories are held by Purgatory {} in Kafka {}",
        dropIn.getVersion(),
        dropIn.getKafkaVersion());
    MBeans.register("dev.purgatory:type=DropIn", dropIn);
  }

  private DropIn() {}

  /** Announces the drop-in on the first call; later calls have no effect. */
  public static void announce() {
    // Loading the class runs the static initializer.
  }

  @Override
  public String getVersion() {
    String version = DropIn.class.getPackage().getImplementationVersion();
    return version == null ? "unknown" : version;
  }

  /** Reads Kafka's resource, because the class that reads it has moved between versions. */
  @Override
  public String getKafkaVersion() {
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
