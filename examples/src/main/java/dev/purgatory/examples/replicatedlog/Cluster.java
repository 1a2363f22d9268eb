package dev.purgatory.examples.replicatedlog;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Three replicas, each a process with its log in a file. The first one leads. */
final class Cluster implements AutoCloseable {
  static final String LEADER = "r1";
  static final Set<String> REPLICAS = Set.of(LEADER, "r2", "r3");

  private final Path directory;
  private final Map<String, Process> processes = new ConcurrentHashMap<>();
  private final int leaderPort;

  /**
   * Starts the leader, but no follower.
   *
   * @param directory for the logs
   */
  Cluster(Path directory) throws IOException {
    this.directory = directory;
    Process leader = launch(LEADER);
    BufferedReader output = leader.inputReader(StandardCharsets.UTF_8);
    String port = output.readLine();
    if (port == null) {
      throw new IOException("the leader did not start");
    }
    this.leaderPort = Integer.parseInt(port);
  }

  int leaderPort() {
    return leaderPort;
  }

  /** Starts a follower, also one that was killed. */
  void startFollower(String name) throws IOException {
    launch(name, Integer.toString(leaderPort));
  }

  private Process launch(String name, String... more) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx64m"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Node.class.getName()));
    command.addAll(List.of(name, file(name).toString()));
    command.addAll(List.of(more));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    processes.put(name, process);
    return process;
  }

  /** Kills a replica, without a chance to clean up, and waits until its process has ended. */
  void kill(String name) {
    Process process = processes.remove(name);
    if (process != null) {
      process.destroyForcibly().onExit().join();
    }
  }

  /** Returns the entries of a replica that does not run. */
  List<String> entries(String name) throws IOException {
    LogFile log = LogFile.open(file(name));
    return log.read(0, log.end());
  }

  private Path file(String name) {
    return directory.resolve(name + ".log");
  }

  @Override
  public void close() {
    for (String name : REPLICAS) {
      kill(name);
    }
  }
}
