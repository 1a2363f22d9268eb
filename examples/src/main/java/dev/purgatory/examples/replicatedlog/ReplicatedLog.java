package dev.purgatory.examples.replicatedlog;

import dev.purgatory.examples.replicatedlog.Writer.Count;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletionException;

/**
 * A log on three replicas, each in its own process, which are killed while writes go on. A write is
 * acknowledged when two replicas have it, and fails while only one runs. At the end the leader is
 * killed too, and no acknowledged write may be missing from the logs of the others.
 */
public final class ReplicatedLog {
  private static final int SOME = 100;
  private static final int ATTEMPTS = 100;

  private final Cluster cluster;
  private final Client client;
  private final Writer writer;
  private int acknowledgedBefore;
  private long failedBefore;

  private ReplicatedLog(Cluster cluster, Client client, Writer writer) {
    this.cluster = cluster;
    this.client = client;
    this.writer = writer;
  }

  /**
   * Runs the example. Exits with status 1 if an acknowledged write is lost.
   *
   * @param args how many replicas must have a write, 2 by default. With 1, writes are lost
   * @throws Exception if the processes cannot be started
   */
  public static void main(String... args) throws Exception {
    int copies = args.length == 0 ? 2 : Integer.parseInt(args[0]);
    Path directory = Files.createTempDirectory("replicated-log");
    Verdict verdict = run(directory, copies);
    for (String replica : Cluster.REPLICAS) {
      Files.deleteIfExists(directory.resolve(replica + ".log"));
    }
    Files.delete(directory);
    if (!verdict.passed()) {
      System.exit(1);
    }
  }

  /**
   * Runs the cluster.
   *
   * @param directory for the logs
   * @param copies how many replicas must have a write
   * @return whether a write was lost
   */
  static Verdict run(Path directory, int copies) throws Exception {
    try (Cluster cluster = new Cluster(directory);
        Client client = new Client(cluster.leaderPort())) {
      cluster.startFollower("r2");
      cluster.startFollower("r3");
      Writer writer = new Writer(client, copies);
      try (writer) {
        new ReplicatedLog(cluster, client, writer).killReplicas();
      }
      Verdict verdict =
          Verdict.of(
              writer.acknowledged(),
              cluster.entries(Cluster.LEADER),
              List.of(cluster.entries("r2"), cluster.entries("r3")));
      System.out.println(verdict);
      return verdict;
    }
  }

  private void killReplicas() throws Exception {
    awaitEverywhere("start");
    writer.await(Count.ACKNOWLEDGED, SOME);
    report("three replicas run");

    cluster.kill("r3");
    writer.await(Count.ACKNOWLEDGED, SOME);
    report("r3 is killed");

    cluster.kill("r2");
    awaitWritesSentFromNow();
    report("r2 is killed, too");

    cluster.startFollower("r2");
    cluster.startFollower("r3");
    awaitEverywhere("return");
    writer.await(Count.ACKNOWLEDGED, SOME);
    report("r2 and r3 have caught up");

    cluster.kill("r3");
    cluster.kill("r2");
    awaitWritesSentFromNow();
    report("r3 and r2 are killed again");
    cluster.kill(Cluster.LEADER);
    System.out.println("the leader is killed while writes go on");
  }

  /** Waits until all replicas run and have all entries. */
  private void awaitEverywhere(String marker) {
    boolean everywhere = false;
    for (int attempt = 1; !everywhere; attempt++) {
      try {
        client.write(marker + ' ' + attempt, Cluster.REPLICAS.size()).join();
        everywhere = true;
      } catch (CompletionException e) {
        if (attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  private void awaitWritesSentFromNow() throws Exception {
    writer.await(Count.ENDED, Writer.IN_FLIGHT + SOME);
  }

  private void report(String event) {
    int acknowledged = writer.acknowledged().size();
    long failed = writer.failed();
    System.out.println(
        event
            + ": "
            + (acknowledged - acknowledgedBefore)
            + " writes acknowledged, "
            + (failed - failedBefore)
            + " failed"
            + (failed > failedBefore ? ": " + writer.lastError() : ""));
    acknowledgedBefore = acknowledged;
    failedBefore = failed;
  }
}
