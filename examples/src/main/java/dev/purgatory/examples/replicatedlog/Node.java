package dev.purgatory.examples.replicatedlog;

import dev.purgatory.Purgatory;
import java.io.IOException;
import java.nio.file.Path;

/** The process of one replica. It ends when its standard input does, so it survives no parent. */
final class Node {
  private Node() {}

  /**
   * Runs a replica.
   *
   * @param args its name, its file, and for a follower the port of the leader. A leader prints its
   *     port
   */
  public static void main(String... args) throws IOException {
    LogFile log = LogFile.open(Path.of(args[1]));
    if (args.length == 2) {
      Purgatory<String> purgatory = Purgatory.builder("replicated-log", String.class).build();
      Leader leader = new Leader(args[0], Cluster.REPLICAS, log, purgatory);
      System.out.println(new LeaderServer(leader).port());
    } else {
      new Thread(new Follower(args[0], log, Integer.parseInt(args[2]))).start();
    }
    while (System.in.read() >= 0) {}
    System.exit(0);
  }
}
