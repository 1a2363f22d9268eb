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
 * One Kafka node in a process of its own. It can be killed and started again on the same data.
 *
 * <p>Safe for use by several threads: after {@link #kill()} or {@link #stop} by a shutdown hook, a
 * {@link #retire() retired} node cannot be started by a thread that has not noticed.
 */
public final class KafkaNode {
  private final NodeConfig config;
  private final NodeFiles files;
  private final String classPath;
  private final List<String> jvmOptions;

  private @Nullable Process process;
  private boolean retired;

  /**
   * A node that is not running yet.
   *
   * @param config what it is told
   * @param classPath where its classes are
   * @param jvmOptions how its JVM runs: the size of the heap, say
   */
  public KafkaNode(NodeConfig config, String classPath, List<String> jvmOptions) {
    this.config = config;
    this.files = new NodeFiles(config);
    this.classPath = classPath;
    this.jvmOptions = List.copyOf(jvmOptions);
  }

  /** What the node is told. */
  public NodeConfig config() {
    return config;
  }

  /**
   * Writes the node's files and formats its data folder where that is still to do.
   *
   * @param clusterId the cluster that a new data folder will belong to
   * @throws NodeFailure when that does not work
   */
  public void prepare(String clusterId) {
    files.write(clusterId);
  }

  /**
   * Starts the process. It takes some seconds until it serves.
   *
   * @throws NodeFailure when the process cannot be started or the node is retired
   */
  public synchronized void start() {
    if (retired) {
      throw new NodeFailure("node " + config.id() + " is stopped for good");
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

  private List<String> command() {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(jvmOptions);
    command.add("-Djava.awt.headless=true");
    // The local JMX connector would otherwise name the machine, which need not resolve.
    command.add("-Djava.rmi.server.hostname=" + Ports.LOOPBACK);
    command.add("-Dlog4j2.configurationFile=" + files.logging());
    command.addAll(List.of("-cp", classPath));
    command.addAll(List.of("kafka.Kafka", files.serverProperties().toString()));
    return command;
  }

  /** The id of the running process, or of the last one; 0 before the first start. */
  public synchronized long pid() {
    return process == null ? 0 : process.pid();
  }

  /** Whether the process runs. */
  public synchronized boolean isAlive() {
    return process != null && process.isAlive();
  }

  /** Kills the process at once, as a crash would. Returns when it is gone. */
  public void kill() {
    end(Duration.ZERO);
  }

  /**
   * Asks the process to end, and kills it if it does not within a time. Returns when it is gone.
   *
   * @param patience how long the process may take
   */
  public void stop(Duration patience) {
    end(patience);
  }

  /**
   * Has the process stand still.
   *
   * @throws NodeFailure when that does not work
   */
  public void pause() {
    signal("STOP");
  }

  /**
   * Has the process go on.
   *
   * @throws NodeFailure when that does not work
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

  /** Forbids every later start. */
  public synchronized void retire() {
    retired = true;
  }

  /**
   * Waits until the process ends by itself or by {@link #stop}.
   *
   * @throws InterruptedException when the waiting thread is interrupted
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

  /** A JVM that was attached to leaves its socket behind when it is killed. */
  private static void deleteAttachSocket(long pid) {
    try {
      Files.deleteIfExists(Path.of("/tmp", ".java_pid" + pid));
    } catch (IOException e) {
      // An empty file in the folder for temporary files is no reason to fail.
    }
  }
}
