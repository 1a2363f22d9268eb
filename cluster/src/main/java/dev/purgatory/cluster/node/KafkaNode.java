package dev.purgatory.cluster.node;

import java.util.ArrayList;
import java.util.List;

/**
 * A Kafka node in its own process. It can be killed and started again on the same data.
 *
 * <p>Thread-safe.
 */
public final class KafkaNode extends JvmProcess {
  private final NodeConfig config;
  private final NodeFiles files;
  private final List<String> jvmOptions;

  private volatile String classPath;

  /**
   * Creates a node, without starting it.
   *
   * @param config the node's configuration
   * @param classPath the node's class path
   * @param jvmOptions options of its JVM, such as the heap size
   */
  public KafkaNode(NodeConfig config, String classPath, List<String> jvmOptions) {
    super("node " + config.id(), config.log());
    this.config = config;
    this.files = new NodeFiles(config, classPath);
    this.classPath = classPath;
    this.jvmOptions = List.copyOf(jvmOptions);
  }

  /** Returns the node's configuration. */
  public NodeConfig config() {
    return config;
  }

  /**
   * Writes the node's files. Formats its data folder unless it is already formatted.
   *
   * @param clusterId the id of the cluster that a new data folder will belong to
   * @throws NodeFailure if a file cannot be written or Kafka rejects the settings
   */
  public void prepare(String clusterId) {
    files.write(clusterId);
  }

  /**
   * Starts the process. It takes a few seconds until it serves clients.
   *
   * @throws NodeFailure if the process cannot be started or the node is retired
   */
  public void start() {
    List<String> arguments = new ArrayList<>(jvmOptions);
    arguments.add("-Djava.awt.headless=true");
    // By default, the local JMX connector uses the host name, which may not resolve.
    arguments.add("-Djava.rmi.server.hostname=" + Ports.LOOPBACK);
    arguments.add("-Dlog4j2.configurationFile=" + files.logging());
    arguments.addAll(List.of("-cp", classPath));
    arguments.addAll(List.of("kafka.Kafka", files.serverProperties().toString()));
    start(arguments);
  }

  /**
   * Changes the class path of the next start.
   *
   * @param classPath the node's class path
   */
  public void useClassPath(String classPath) {
    this.classPath = classPath;
  }
}
