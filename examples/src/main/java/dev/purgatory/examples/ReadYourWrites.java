package dev.purgatory.examples;

import dev.purgatory.HeldFuture;
import dev.purgatory.Purgatory;
import dev.purgatory.Thresholds;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Read your writes: a follower answers a read once it has applied the client's last write. */
public final class ReadYourWrites implements AutoCloseable {
  private final Purgatory<String> purgatory;

  // sample: threshold
  private final Thresholds<String> applied;

  HeldFuture<Long> untilApplied(String partition, long offset) {
    return applied.reach(partition, offset).orTimeout(Duration.ofSeconds(5)).hold();
  }

  void onApplied(String partition, long offset) {
    applied.advance(partition, offset);
  }

  // end

  // sample: quorum
  HeldFuture<Map<String, Long>> untilQuorum(long offset) {
    Map<String, Long> replicas = Map.of("r1", offset, "r2", offset, "r3", offset);
    return applied.reach(2, replicas).orTimeout(Duration.ofSeconds(5)).hold();
  }

  // end

  // sample: threshold-and-key
  HeldFuture<String> untilAppliedOrMoved(String partition, long offset, Moves moves) {
    return purgatory
        .until(() -> moves.newOwner(partition) != null ? "moved" : isApplied(partition, offset))
        .reaching(applied, partition, offset)
        .orTimeout(Duration.ofSeconds(5))
        .hold(partition);
  }

  // end

  /** Knows the partitions that have moved to another server. */
  @FunctionalInterface
  interface Moves {
    @Nullable String newOwner(String partition);
  }

  ReadYourWrites(Purgatory<String> purgatory) {
    this.purgatory = purgatory;
    this.applied = new Thresholds<>(purgatory);
  }

  private @Nullable String isApplied(String partition, long offset) {
    Long number = applied.number(partition);
    return number != null && number >= offset ? "applied" : null;
  }

  @Override
  public void close() {
    purgatory.close();
  }

  /** Waits for a write that is applied a moment later. */
  public static void main(String... args) {
    try (ReadYourWrites follower =
        new ReadYourWrites(Purgatory.builder("reads", String.class).build())) {
      HeldFuture<Long> read = follower.untilApplied("p0", 42);
      follower.onApplied("p0", 41);
      System.out.println(read.isDone());
      follower.onApplied("p0", 43);
      System.out.println(read.join());
    }
  }
}
