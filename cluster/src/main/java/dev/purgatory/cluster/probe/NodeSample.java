package dev.purgatory.cluster.probe;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A sample of a node's counters, which start from zero in each process.
 *
 * @param purgatories the counters of the drop-in; null if the node does not run it
 * @param meteredExpired the number of expired fetches and produce requests, by Kafka's own meters
 * @param watched the current number of entries on watch lists, by Kafka's {@code PurgatorySize}
 * @param cpu the processor time of the process
 */
public record NodeSample(
    @Nullable PurgatoryCounts purgatories, long meteredExpired, long watched, Duration cpu) {

  /** Returns a sample of zeros, without counters of the drop-in. */
  public static NodeSample none() {
    return new NodeSample(null, 0, 0, Duration.ZERO);
  }

  /**
   * Adds two samples.
   *
   * @param other a sample of another node, or of an earlier process of this one
   */
  public NodeSample plus(NodeSample other) {
    return new NodeSample(
        sum(purgatories, other.purgatories),
        meteredExpired + other.meteredExpired,
        watched + other.watched,
        cpu.plus(other.cpu));
  }

  private static @Nullable PurgatoryCounts sum(
      @Nullable PurgatoryCounts one, @Nullable PurgatoryCounts other) {
    if (one == null) {
      return other;
    }
    return other == null ? one : one.plus(other);
  }

  /** Returns the counters after the process has ended, when nothing is held or watched anymore. */
  NodeSample afterEnd() {
    return new NodeSample(
        purgatories == null ? null : withoutPending(purgatories), meteredExpired, 0, cpu);
  }

  private static PurgatoryCounts withoutPending(PurgatoryCounts stats) {
    return new PurgatoryCounts(
        stats.held(),
        stats.completed(),
        stats.expired(),
        stats.cancelled(),
        0,
        stats.errors(),
        stats.heldMicros(),
        stats.latenessMicros());
  }
}
