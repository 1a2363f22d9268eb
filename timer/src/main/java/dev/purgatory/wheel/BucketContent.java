package dev.purgatory.wheel;

import java.util.ArrayList;
import java.util.List;

/**
 * What buckets for the same time hold, for those who show the wheels.
 *
 * @param tickNanos the tick of the wheels
 * @param wheelSize the number of buckets per wheel; the ring of a level has twice as many
 * @param resolution the number of ticks that a bucket spans; 0: the entries that are due
 * @param start the time at which the span of the bucket starts, in nanoseconds
 * @param visit when the clock must visit it, in nanoseconds: its entries are due then, or, on an
 *     upper level, begin to move to finer buckets
 * @param isSplitting whether entries are moving to finer buckets
 * @param pending scheduled entries; an estimate if the bucket has very many
 * @param ended entries that have ended and were not removed yet; an estimate like these
 * @param entries the first of the scheduled ones, as many as were asked for in each stripe; none
 *     beyond the first 4,096 entries of a bucket, ended ones included
 */
public record BucketContent(
    long tickNanos,
    int wheelSize,
    long resolution,
    long start,
    long visit,
    boolean isSplitting,
    long pending,
    long ended,
    List<TimerEntry> entries) {

  /** How many entries of a bucket are examined. If it has more, the rest is estimated. */
  private static final int EXAMINED = 4096;

  /**
   * Adds the content of another bucket of the level.
   *
   * @param other for the same time or another one
   * @return the content of both; the times are the earlier ones
   */
  public BucketContent plus(BucketContent other) {
    List<TimerEntry> both = new ArrayList<>(entries);
    both.addAll(other.entries);
    return new BucketContent(
        tickNanos,
        wheelSize,
        resolution,
        Math.min(start, other.start),
        Math.min(visit, other.visit),
        isSplitting || other.isSplitting,
        pending + other.pending,
        ended + other.ended,
        both);
  }

  /** Adds the content of a bucket to the list; returns how many entries it examined. */
  static int read(TimingWheels wheels, Bucket bucket, int most, List<BucketContent> list) {
    int size = bucket.size();
    if (size == 0) {
      return 0;
    }
    List<TimerEntry> examined = bucket.first(EXAMINED);
    List<TimerEntry> waiting = examined.stream().filter(TimerEntry::isScheduled).toList();
    long pending = waiting.size() * (long) size / examined.size();
    boolean isDue = bucket == wheels.due;
    list.add(
        new BucketContent(
            wheels.tickNanos,
            wheels.wheelSize,
            bucket.resolution,
            wheels.nanos(isDue ? wheels.clock : bucket.start),
            wheels.nanos(isDue ? wheels.clock : bucket.visit),
            bucket.state == Bucket.State.SPLITTING,
            pending,
            size - pending,
            waiting.stream().limit(most).toList()));
    return examined.size();
  }
}
