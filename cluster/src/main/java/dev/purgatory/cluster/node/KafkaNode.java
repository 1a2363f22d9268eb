package dev.purgatory.cluster.node;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A Kafka node in its own process. It can be killed and started again on the same data.
 *
 * <p>Thread-safe.
 */
public final class KafkaNode {
  private final NodeConfig config;
  private final NodeFiles files;
  private final List<String> jvmOptions;
  private final JvmProcess process;

  private volatile String classPath;

  /**
   * Creates a node, without starting it.
   *
   * @param config the node's configuration
   * @param classPath the node's class path
   * @param jvmOptions options of its JVM, such as the heap size
   */
  public KafkaNode(NodeConfig config, String classPath, List<String> jvmOptions) {
    this.config = config;
    this.files = new NodeFiles(config, classPath);
    this.classPath = classPath;
    this.jvmOptions = List.copyOf(jvmOptions);
    this.process = new JvmProcess("node " + config.id(), config.log());
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
    process.start(arguments);
  }

  /**
   * Changes the class path of the next start.
   *
   * @param classPath the node's class path
   */
  public void useClassPath(String classPath) {
    this.classPath = classPath;
  }

  /** Returns the id of the current or last process, or 0 before the first start. */
  public long pid() {
    return process.pid();
  }

  /** Returns whether the process is running. */
  public boolean isAlive() {
    return process.isAlive();
  }

  /** Returns the failure of a process that has ended although nobody ended it. */
  public NodeFailure ended() {
    return process.ended();
  }

  /** Kills the process as a crash would, and waits until it has ended. */
  public void kill() {
    process.kill();
  }

  /**
   * Asks the process to shut down and waits until it has ended. Kills it if it takes too long.
   *
   * @param patience the time after which the process is killed
   */
  public void stop(Duration patience) {
    process.stop(patience);
  }

  /**
   * Suspends the process with SIGSTOP until {@link #resume} is called.
   *
   * @throws NodeFailure if the signal cannot be sent
   */
  public void pause() {
    process.pause();
  }

  /**
   * Resumes the process after {@link #pause}.
   *
   * @throws NodeFailure if the signal cannot be sent
   */
  public void resume() {
    process.resume();
  }

  /** Makes all later calls of {@link #start} fail, so that a shutdown hook can kill the process. */
  public void retire() {
    process.retire();
  }

  /**
   * Waits until the process ends, for whatever reason.
   *
   * @throws InterruptedException if the thread is interrupted while waiting
   */
  public void awaitEnd() throws InterruptedException {
    process.awaitEnd();
  }
}
