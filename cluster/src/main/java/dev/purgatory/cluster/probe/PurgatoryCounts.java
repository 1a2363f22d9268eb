package dev.purgatory.cluster.probe;

import org.HdrHistogram.AbstractHistogram;
import org.HdrHistogram.Histogram;

/**
 * What purgatories counted since they were made. Immutable in use: nobody changes the histograms.
 *
 * @param held operations that could not be answered at once
 * @param completed held operations that an event completed
 * @param expired held operations whose time was up
 * @param cancelled held operations that were taken out without an answer
 * @param pending operations held now
 * @param errors callbacks that threw
 * @param heldMicros how long operations were held, in microseconds
 * @param latenessMicros how long after their time operations expired, in microseconds
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

  /** As the drop-in records them: between histograms of one resolution, merging rounds nothing. */
  private static final int DIGITS = 2;

  /** Nothing counted. */
  public static PurgatoryCounts none() {
    return new PurgatoryCounts(0, 0, 0, 0, 0, 0, new Histogram(DIGITS), new Histogram(DIGITS));
  }

  /**
   * Both together, as if one purgatory had counted.
   *
   * @param other what another purgatory counted, or the same one in an earlier life
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

  /** Held operations that had no end when their node was killed. */
  public long unaccounted() {
    // The counts are read one after the other while the node goes on, so that they can be a few
    // apart.
    return Math.max(0, held - completed - expired - cancelled - pending);
  }

  private static Histogram merged(AbstractHistogram one, AbstractHistogram other) {
    Histogram both = new Histogram(DIGITS);
    both.add(one);
    both.add(other);
    return both;
  }
}
