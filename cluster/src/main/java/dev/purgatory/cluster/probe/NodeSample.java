package dev.purgatory.cluster.probe;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One look at a node. All numbers count from the start of its process.
 *
 * @param purgatories what the drop-in counted; null where it does not run
 * @param meteredExpired fetches and produce requests whose time was up, by Kafka's own meters
 * @param watched entries on watch lists now, as Kafka's {@code PurgatorySize} has it
 * @param cpu processor time of the process
 */
public record NodeSample(
    @Nullable PurgatoryCounts purgatories, long meteredExpired, long watched, Duration cpu) {

  /** Nothing counted, and nobody who could. */
  public static NodeSample none() {
    return new NodeSample(null, 0, 0, Duration.ZERO);
  }

  /**
   * Both together.
   *
   * @param other a look at another node, or at the same one in an earlier life
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

  /** The same counts, for a process that is gone: it holds and watches nothing any more. */
  NodeSample afterDeath() {
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
