package dev.purgatory.cli.release;

import dev.purgatory.cluster.node.NodeConfig;
import dev.purgatory.cluster.node.Ports;
import dev.purgatory.cluster.probe.NodeProbe;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.common.Uuid;

/** A broker that the scripts of a Kafka release format and start. */
final class ReleasedBroker implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final long PAUSE_MILLIS = 200;

  private final Path home;
  private final NodeConfig config;
  private final Path settings;

  private Process process;

  /** Creates a broker on free ports, and formats its storage with the release's script. */
  ReleasedBroker(Path home, Path folder) throws IOException, InterruptedException {
    this.home = home;
    List<Integer> ports = Ports.free(2);
    List<String> voters = List.of(NodeConfig.voter(1, ports.get(1)));
    config = new NodeConfig(1, ports.get(0), ports.get(1), voters, folder, oneReplica());
    settings = folder.resolve("server.properties");
    Properties properties = new Properties();
    properties.putAll(config.properties());
    try (Writer writer = Files.newBufferedWriter(settings)) {
      properties.store(writer, null);
    }
    process = script("", "kafka-storage.sh", "format", "-t", Uuid.randomUuid().toString(), "-c");
    if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS) || process.exitValue() != 0) {
      throw new IOException("the storage was not formatted:\n" + log());
    }
  }

  private static Map<String, String> oneReplica() {
    Map<String, String> settings = new HashMap<>();
    settings.put("offsets.topic.replication.factor", "1");
    settings.put("transaction.state.log.replication.factor", "1");
    settings.put("transaction.state.log.min.isr", "1");
    settings.put("group.initial.rebalance.delay.ms", "0");
    return settings;
  }

  /** Runs a script; the settings of the broker are its last argument. */
  private Process script(String classPath, String name, String... arguments) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(home.resolve("bin").resolve(name).toString());
    builder.command().addAll(List.of(arguments));
    builder.command().add(settings.toString());
    Map<String, String> environment = builder.environment();
    environment.keySet().removeIf(key -> key.startsWith("KAFKA_") || key.startsWith("JMX_"));
    environment.put("JAVA_HOME", System.getProperty("java.home"));
    environment.put("LOG_DIR", config.folder().resolve("logs").toString());
    environment.put("KAFKA_HEAP_OPTS", "-Xmx384m");
    environment.put("KAFKA_OPTS", "-Djava.rmi.server.hostname=127.0.0.1");
    environment.put("CLASSPATH", classPath);
    return builder
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(config.log().toFile()))
        .start();
  }

  /**
   * Starts the broker with the release's script and waits until it serves clients.
   *
   * @param classPath the value of {@code CLASSPATH}; may be empty
   */
  void start(String classPath) throws IOException, InterruptedException {
    process = script(classPath, "kafka-server-start.sh");
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!isRunning()) {
      if (!process.isAlive() || System.nanoTime() - deadline > 0) {
        throw new IOException("the broker did not start:\n" + log());
      }
      Thread.sleep(PAUSE_MILLIS);
    }
  }

  private boolean isRunning() throws IOException {
    if (!Ports.accepts(config.brokerPort())) {
      return false;
    }
    try (NodeProbe probe = NodeProbe.attach(process.pid())) {
      return probe.isRunning();
    }
  }

  /** Returns what the broker says in JMX about the drop-in. */
  Optional<String> dropIn() throws IOException {
    try (NodeProbe probe = NodeProbe.attach(process.pid())) {
      return probe.dropIn();
    }
  }

  /** Returns what the scripts and the broker have printed. */
  String log() throws IOException {
    return Files.readString(config.log());
  }

  String bootstrap() {
    return config.bootstrap();
  }

  /** Shuts the broker down as systemd does, and waits until it has ended. */
  @Override
  public void close() {
    process.destroy();
    try {
      process.onExit().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException | ExecutionException | TimeoutException e) {
      process.destroyForcibly();
      throw new IllegalStateException("the broker does not end", e);
    }
  }
}
