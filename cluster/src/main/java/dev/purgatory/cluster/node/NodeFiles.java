package dev.purgatory.cluster.node;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import kafka.tools.StorageTool;

/** Writes the files that a node needs to start. */
final class NodeFiles {
  private static final String LOGGING =
      """
      status = ERROR
      appender.console.type = Console
      appender.console.name = CONSOLE
      appender.console.layout.type = PatternLayout
      appender.console.layout.pattern = [%d] %p %m (%c)%n
      rootLogger.level = INFO
      rootLogger.appenderRef.console.ref = CONSOLE
      """;

  private final NodeConfig config;

  NodeFiles(NodeConfig config) {
    this.config = config;
  }

  Path serverProperties() {
    return config.folder().resolve("server.properties");
  }

  Path logging() {
    return config.folder().resolve("log4j2.properties");
  }

  /**
   * Writes the settings. Formats the data folder unless it is already formatted.
   *
   * @param clusterId the id of the cluster that a new data folder will belong to
   * @throws NodeFailure if a file cannot be written or Kafka rejects the settings
   */
  void write(String clusterId) {
    try {
      Files.createDirectories(config.folder());
      Files.writeString(logging(), LOGGING);
      writeProperties();
    } catch (IOException e) {
      throw new NodeFailure("cannot write to " + config.folder() + ": " + e.getMessage(), e);
    }
    if (!Files.exists(config.data().resolve("meta.properties"))) {
      format(clusterId);
    }
  }

  private void writeProperties() throws IOException {
    Properties properties = new Properties();
    properties.putAll(config.properties());
    try (Writer writer = Files.newBufferedWriter(serverProperties())) {
      properties.store(writer, null);
    }
  }

  /** Runs Kafka's tool in this process, since another JVM would take two more seconds per node. */
  private void format(String clusterId) {
    String[] command = {"format", "-t", clusterId, "-c", serverProperties().toString()};
    ByteArrayOutputStream output = new ByteArrayOutputStream();
    try (PrintStream out = new PrintStream(output, true, StandardCharsets.UTF_8)) {
      if (StorageTool.execute(command, out) != 0) {
        throw new NodeFailure("cannot format " + config.data() + ": " + output);
      }
    } catch (RuntimeException e) {
      throw new NodeFailure("cannot format " + config.data() + ": " + e.getMessage(), e);
    }
  }
}
