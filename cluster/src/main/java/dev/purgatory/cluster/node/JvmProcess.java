package dev.purgatory.cluster.node;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A Java program in its own process, which can be killed, paused, and started again.
 *
 * <p>Thread-safe. A shutdown hook {@linkplain #retire() retires} the process before it kills it, so
 * that no other thread starts it again.
 */
public class JvmProcess {
  private static final Duration PAUSE_PATIENCE = Duration.ofMinutes(1);

  private final String name;
  private final Path log;

  private @Nullable Process process;
  private boolean retired;

  /**
   * Describes a process, without starting it.
   *
   * @param name the name in messages
   * @param log the file to which the output of all its incarnations is appended
   */
  public JvmProcess(String name, Path log) {
    this.name = name;
    this.log = log;
  }

  /** Returns the file with the output. */
  public Path log() {
    return log;
  }

  /**
   * Starts the process.
   *
   * @param arguments those of the {@code java} command
   * @throws NodeFailure if it cannot be started or is retired
   */
  public synchronized void start(List<String> arguments) {
    if (retired) {
      throw new NodeFailure(name + " is retired");
    }
    File output = log.toFile();
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(arguments);
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(output));
    try {
      process = builder.start();
    } catch (IOException e) {
      throw new NodeFailure("cannot start " + name + ": " + e.getMessage(), e);
    }
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
    return new NodeFailure(name + " has ended unexpectedly", log);
  }

  /** Kills the process as a crash would, and waits until it has ended. */
  public void kill() {
    stop(Duration.ZERO);
  }

  /**
   * Asks the process to shut down and waits until it has ended. Kills it if it takes too long.
   *
   * @param patience the time after which the process is killed
   */
  public void stop(Duration patience) {
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

  /**
   * Suspends the process with SIGSTOP until {@link #resume} is called. On Linux, waits until none
   * of its threads runs: after the signal was sent, they may go on for half a second on a busy
   * machine.
   *
   * @throws NodeFailure if the signal cannot be sent, or a thread does not stop
   */
  public void pause() {
    signal("STOP");
    long deadline = System.nanoTime() + PAUSE_PATIENCE.toNanos();
    try {
      while (hasRunningThread()) {
        if (System.nanoTime() - deadline > 0) {
          throw new NodeFailure(name + " does not stop");
        }
        Thread.sleep(1);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns whether a thread has not stopped, as far as Linux says. */
  private boolean hasRunningThread() {
    String[] threads = new File("/proc/" + pid() + "/task").list();
    return threads != null && Stream.of(threads).anyMatch(this::isRunning);
  }

  private boolean isRunning(String thread) {
    try {
      String stat =
          Files.readString(Path.of("/proc", Long.toString(pid()), "task", thread, "stat"));
      return "TtZX".indexOf(stat.charAt(stat.lastIndexOf(')') + 2)) < 0; // after the name
    } catch (IOException e) {
      return false; // it has ended
    }
  }

  /**
   * Resumes the process after {@link #pause}.
   *
   * @throws NodeFailure if the signal cannot be sent
   */
  public void resume() {
    signal("CONT");
  }

  private void signal(String signal) {
    try {
      Process kill = new ProcessBuilder("kill", "-" + signal, Long.toString(pid())).start();
      if (kill.waitFor() != 0) {
        throw isAlive() ? new NodeFailure("cannot send " + signal + " to " + name) : ended();
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
