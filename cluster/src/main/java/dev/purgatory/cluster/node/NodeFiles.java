package dev.purgatory.cluster.node;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.stream.Collectors;

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
  private final String classPath;

  /**
   * Describes the files of a node.
   *
   * @param classPath the class path of the Kafka that formats the data folder
   */
  NodeFiles(NodeConfig config, String classPath) {
    this.config = config;
    this.classPath = classPath;
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

  /** Runs the tool of the node's own version: another one may format for a version of its own. */
  private void format(String clusterId) {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-cp",
            classPath,
            "kafka.tools.StorageTool",
            "format",
            "-t",
            clusterId,
            "-c",
            serverProperties().toString());
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String output = process.inputReader().lines().collect(Collectors.joining(" "));
      if (process.waitFor() != 0) {
        throw new NodeFailure("cannot format " + config.data() + ": " + output);
      }
    } catch (IOException e) {
      throw new NodeFailure("cannot format " + config.data() + ": " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new NodeFailure("interrupted while formatting " + config.data(), e);
    }
  }
}
