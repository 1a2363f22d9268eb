package dev.purgatory.examples;

import dev.purgatory.DelayedOperation;
import dev.purgatory.Purgatory;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A write that is acknowledged when a number of replicas have it, or fails when they take too long.
 */
public final class QuorumAck implements AutoCloseable {
  private final Set<String> replicas;
  private final int quorum;
  private final Purgatory<String, Write> purgatory;

  /** A write, watched on each replica. */
  private static final class Write extends DelayedOperation {
    private final Set<String> acks = ConcurrentHashMap.newKeySet();
    private final CompletableFuture<Integer> result = new CompletableFuture<>();
    private final int quorum;

    Write(int quorum, Duration timeout) {
      super(timeout);
      this.quorum = quorum;
    }

    @Override
    protected boolean tryComplete() {
      return acks.size() >= quorum;
    }

    @Override
    protected void onComplete() {
      if (isExpired()) {
        result.completeExceptionally(
            new IllegalStateException(
                "only " + acks.size() + " of " + quorum + " replicas in time"));
      } else {
        result.complete(acks.size());
      }
    }
  }

  /**
   * Starts.
   *
   * @param replicas the names of the replicas
   * @param quorum how many of them have to have a write
   */
  public QuorumAck(Set<String> replicas, int quorum) {
    this.replicas = Set.copyOf(replicas);
    this.quorum = quorum;
    this.purgatory = Purgatory.<String, Write>builder("quorum-ack").build();
  }

  /** A write under way. */
  public final class Pending {
    private final Write write;

    private Pending(Write write) {
      this.write = write;
    }

    /**
     * A replica has it.
     *
     * @param replica the name of the replica
     */
    public void acknowledgedBy(String replica) {
      write.acks.add(replica);
      purgatory.checkAndComplete(replica);
    }

    /**
     * Returns what becomes of it.
     *
     * @return the number of replicas that had it when there were enough; fails when time is up
     */
    public CompletableFuture<Integer> result() {
      return write.result;
    }
  }

  /**
   * Begins a write.
   *
   * @param timeout how long the replicas may take
   * @return the write under way
   */
  public Pending write(Duration timeout) {
    Write write = new Write(quorum, timeout);
    purgatory.tryCompleteElseWatch(write, replicas);
    return new Pending(write);
  }

  @Override
  public void close() {
    purgatory.close();
  }

  /**
   * Runs it: one write that two of three replicas get, and one that only one gets.
   *
   * @param args none
   */
  public static void main(String... args) {
    try (QuorumAck cluster = new QuorumAck(Set.of("a", "b", "c"), 2)) {
      Pending first = cluster.write(Duration.ofSeconds(5));
      first.acknowledgedBy("a");
      first.acknowledgedBy("c");
      System.out.println("acknowledged by " + first.result().join());

      Pending second = cluster.write(Duration.ofMillis(100));
      second.acknowledgedBy("b");
      System.out.println(second.result().handle((acks, failure) -> failure.getMessage()).join());
    }
  }
}
