package dev.purgatory.cluster.probe;

import org.HdrHistogram.AbstractHistogram;
import org.HdrHistogram.Histogram;

/**
 * The counters of purgatories since their creation. The histograms must not be modified.
 *
 * @param held operations that were held
 * @param completed held operations that were completed by an event
 * @param expired held operations that timed out
 * @param cancelled held operations that were cancelled
 * @param pending operations held now
 * @param errors callbacks that threw
 * @param heldMicros the time that operations were held, in microseconds
 * @param latenessMicros the time between deadline and expiration, in microseconds
 */
public record PurgatoryCounts(
    long held,
    long completed,
    long expired,
    long cancelled,
    long pending,
    long errors,
    Histogram heldMicros,
    Histogram latenessMicros) {

  /** The resolution of the drop-in's histograms, so that merging them does not round. */
  private static final int DIGITS = 2;

  /** Returns counters that are all zero. */
  public static PurgatoryCounts none() {
    return new PurgatoryCounts(0, 0, 0, 0, 0, 0, new Histogram(DIGITS), new Histogram(DIGITS));
  }

  /**
   * Adds counters.
   *
   * @param other the counters of another purgatory, or of an earlier process
   */
  public PurgatoryCounts plus(PurgatoryCounts other) {
    return new PurgatoryCounts(
        held + other.held,
        completed + other.completed,
        expired + other.expired,
        cancelled + other.cancelled,
        pending + other.pending,
        errors + other.errors,
        merged(heldMicros, other.heldMicros),
        merged(latenessMicros, other.latenessMicros));
  }

  /** Returns the number of operations that were held when their node was killed. */
  public long unaccounted() {
    // The counters are not read atomically, so the difference can be slightly negative.
    return Math.max(0, held - completed - expired - cancelled - pending);
  }

  private static Histogram merged(AbstractHistogram one, AbstractHistogram other) {
    Histogram both = new Histogram(DIGITS);
    both.add(one);
    both.add(other);
    return both;
  }
}
