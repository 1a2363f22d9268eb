package dev.purgatory.cluster.node;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A Kafka node in its own process. It can be killed and started again on the same data.
 *
 * <p>Thread-safe. A shutdown hook {@linkplain #retire() retires} the node before it kills the
 * process, so that no other thread starts it again.
 */
public final class KafkaNode {
  private final NodeConfig config;
  private final NodeFiles files;
  private final List<String> jvmOptions;

  private String classPath;
  private @Nullable Process process;
  private boolean retired;

  /**
   * Creates a node, without starting it.
   *
   * @param config the node's configuration
   * @param classPath the node's class path
   * @param jvmOptions options of its JVM, such as the heap size
   */
  public KafkaNode(NodeConfig config, String classPath, List<String> jvmOptions) {
    this.config = config;
    this.files = new NodeFiles(config);
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
  public synchronized void start() {
    if (retired) {
      throw new NodeFailure("node " + config.id() + " is retired");
    }
    File log = config.log().toFile();
    ProcessBuilder builder =
        new ProcessBuilder(command())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log));
    try {
      process = builder.start();
    } catch (IOException e) {
      throw new NodeFailure("cannot start node " + config.id() + ": " + e.getMessage(), e);
    }
  }

  private synchronized List<String> command() {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(jvmOptions);
    command.add("-Djava.awt.headless=true");
    // By default, the local JMX connector uses the host name, which may not resolve.
    command.add("-Djava.rmi.server.hostname=" + Ports.LOOPBACK);
    command.add("-Dlog4j2.configurationFile=" + files.logging());
    command.addAll(List.of("-cp", classPath));
    command.addAll(List.of("kafka.Kafka", files.serverProperties().toString()));
    return command;
  }

  /**
   * Changes the class path of the next start.
   *
   * @param classPath the node's class path
   */
  public synchronized void useClassPath(String classPath) {
    this.classPath = classPath;
  }

  /** Returns the id of the current or last process, or 0 before the first start. */
  public synchronized long pid() {
    return process == null ? 0 : process.pid();
  }

  /** Returns whether the process is running. */
  public synchronized boolean isAlive() {
    return process != null && process.isAlive();
  }

  /** Returns the failure of a process that has ended although nobody ended it. */
  public NodeFailure ended() {
    return new NodeFailure("node " + config.id() + " has ended unexpectedly", config.log());
  }

  /** Kills the process as a crash would, and waits until it has ended. */
  public void kill() {
    end(Duration.ZERO);
  }

  /**
   * Asks the process to shut down and waits until it has ended. Kills it if it takes too long.
   *
   * @param patience the time after which the process is killed
   */
  public void stop(Duration patience) {
    end(patience);
  }

  /**
   * Suspends the process with SIGSTOP until {@link #resume} is called.
   *
   * @throws NodeFailure if the signal cannot be sent
   */
  public void pause() {
    signal("STOP");
  }

  /**
   * Resumes the process after {@link #pause}.
   *
   * @throws NodeFailure if the signal cannot be sent
   */
  public void resume() {
    signal("CONT");
  }

  private void signal(String name) {
    try {
      Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(pid())).start();
      if (kill.waitFor() != 0) {
        throw new NodeFailure("cannot send " + name + " to node " + config.id());
      }
    } catch (IOException e) {
      throw new NodeFailure("cannot send signals: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Makes all later calls of {@link #start} fail. */
  public synchronized void retire() {
    retired = true;
  }

  /**
   * Waits until the process ends, for whatever reason.
   *
   * @throws InterruptedException if the thread is interrupted while waiting
   */
  public void awaitEnd() throws InterruptedException {
    Process running;
    synchronized (this) {
      running = process;
    }
    if (running != null) {
      running.waitFor();
    }
  }

  private void end(Duration patience) {
    Process running;
    synchronized (this) {
      running = process;
    }
    if (running == null) {
      return;
    }
    if (!patience.isZero()) {
      running.destroy();
    }
    if (patience.isZero() || !awaitEnd(running, patience)) {
      running.destroyForcibly();
      awaitEnd(running, Duration.ofSeconds(10));
    }
    deleteAttachSocket(running.pid());
  }

  private static boolean awaitEnd(Process running, Duration patience) {
    try {
      return running.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Deletes the socket of the attach mechanism, which a killed JVM leaves behind. */
  private static void deleteAttachSocket(long pid) {
    try {
      Files.deleteIfExists(Path.of("/tmp", ".java_pid" + pid));
    } catch (IOException e) {
      // An empty file in the temporary folder is harmless.
    }
  }
}
