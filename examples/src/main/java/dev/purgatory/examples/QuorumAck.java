package dev.purgatory.examples;

import dev.purgatory.Purgatory;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;

/** A write is acknowledged when enough replicas have it, and fails if they take too long. */
public final class QuorumAck implements AutoCloseable {
  private final Purgatory<String> purgatory = Purgatory.builder("quorum-ack", String.class).build();
  private final Set<String> replicas;
  private final int quorum;

  /**
   * Creates a cluster.
   *
   * @param replicas the names of the replicas
   * @param quorum how many replicas must have a write
   */
  public QuorumAck(Set<String> replicas, int quorum) {
    this.replicas = Set.copyOf(replicas);
    this.quorum = quorum;
  }

  /** A write in progress. */
  public final class Write {
    private final Set<String> acks = ConcurrentHashMap.newKeySet();
    private final CompletableFuture<Integer> result;

    private Write(Duration timeout) {
      result =
          purgatory
              .until(() -> acks.size() >= quorum ? acks.size() : null)
              .orTimeout(timeout, this::tooFew)
              .hold(replicas);
    }

    private TimeoutException tooFew() {
      return new TimeoutException("only " + acks.size() + " of " + quorum + " replicas in time");
    }

    /**
     * Records that a replica has the write.
     *
     * @param replica the name of the replica
     */
    public void acknowledgedBy(String replica) {
      acks.add(replica);
      purgatory.signal(replica);
    }

    /**
     * Returns the result.
     *
     * @return the number of replicas that had the write when the quorum was reached; fails after
     *     the timeout
     */
    public CompletableFuture<Integer> result() {
      return result;
    }
  }

  /**
   * Starts a write.
   *
   * @param timeout how long to wait for the quorum
   * @return the write in progress
   */
  public Write write(Duration timeout) {
    return new Write(timeout);
  }

  @Override
  public void close() {
    purgatory.close();
  }

  /**
   * Runs the example: one write reaches two of three replicas, and one reaches a single replica.
   *
   * @param args ignored
   */
  public static void main(String... args) {
    try (QuorumAck cluster = new QuorumAck(Set.of("a", "b", "c"), 2)) {
      Write first = cluster.write(Duration.ofSeconds(5));
      first.acknowledgedBy("a");
      first.acknowledgedBy("c");
      System.out.println("acknowledged by " + first.result().join());

      Write second = cluster.write(Duration.ofMillis(100));
      second.acknowledgedBy("b");
      System.out.println(second.result().handle((acks, failure) -> failure.getMessage()).join());
    }
  }
}
