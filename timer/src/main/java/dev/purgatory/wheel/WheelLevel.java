package dev.purgatory.wheel;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * What one level of a timer's wheels holds, in all stripes.
 *
 * @param tickNanos the tick of the wheels
 * @param wheelSize the number of buckets per wheel; the ring of a level has twice as many
 * @param resolution the number of ticks that a bucket spans; 0: the entries that are due
 * @param buckets those with entries, by the time at which they start
 */
public record WheelLevel(long tickNanos, int wheelSize, long resolution, List<Content> buckets) {

  /** How many entries of a bucket are examined. If it has more, the ended ones are estimated. */
  private static final int EXAMINED = 4096;

  private static final Comparator<WheelLevel> ORDER =
      Comparator.comparingLong(WheelLevel::tickNanos)
          .thenComparingInt(WheelLevel::wheelSize)
          .thenComparingLong(WheelLevel::resolution);

  /**
   * What the buckets of all stripes hold that are for the same time.
   *
   * @param start the time at which the span of the bucket starts, in nanoseconds
   * @param visit when the clock must visit it, in nanoseconds: its entries are due then, or, on an
   *     upper level, begin to move to finer buckets
   * @param isSplitting whether entries are moving to finer buckets
   * @param pending scheduled entries
   * @param ended entries that have ended and were not removed yet
   * @param entries some of the scheduled ones, as many as were asked for in each stripe
   */
  public record Content(
      long start,
      long visit,
      boolean isSplitting,
      long pending,
      long ended,
      List<TimerEntry> entries) {

    /**
     * Adds the content of another bucket of the level.
     *
     * @param other for the same time or another one
     * @return the content of both; the times are the earlier ones
     */
    public Content plus(Content other) {
      List<TimerEntry> both = new ArrayList<>(entries);
      both.addAll(other.entries);
      return new Content(
          Math.min(start, other.start),
          Math.min(visit, other.visit),
          isSplitting || other.isSplitting,
          pending + other.pending,
          ended + other.ended,
          both);
    }
  }

  /**
   * Returns the number of this level.
   *
   * @return 1 is the finest one; 0: the entries that are due
   */
  public int number() {
    int number = resolution == 0 ? 0 : 1;
    for (long rest = resolution; rest > 1; rest /= wheelSize) {
      number++;
    }
    return number;
  }

  /**
   * Returns how much time a bucket spans.
   *
   * @return nanoseconds; 0 for the entries that are due
   */
  public long bucketNanos() {
    return product(resolution, tickNanos);
  }

  /**
   * Returns the number of scheduled entries.
   *
   * @return 0 or more; an estimate if a bucket has very many entries
   */
  public long pending() {
    return buckets.stream().mapToLong(Content::pending).sum();
  }

  /**
   * Returns the number of ended entries that were not removed yet.
   *
   * @return 0 or more; an estimate if a bucket has very many entries
   */
  public long ended() {
    return buckets.stream().mapToLong(Content::ended).sum();
  }

  /**
   * Reads the levels with entries, by their ticks, wheel sizes and resolutions.
   *
   * @param most how many entries of each bucket of a stripe to return
   */
  static List<WheelLevel> of(Stripe[] stripes, int most) {
    NavigableMap<WheelLevel, NavigableMap<Long, Content>> levels = new TreeMap<>(ORDER);
    for (Stripe stripe : stripes) {
      for (int at = 0; at >= 0; ) {
        at = stripe.visit(at, (wheels, bucket) -> add(wheels, bucket, most, levels));
      }
    }
    List<WheelLevel> read = new ArrayList<>();
    levels.forEach((level, buckets) -> read.add(level.with(buckets.values())));
    return read;
  }

  private WheelLevel with(Collection<Content> contents) {
    return new WheelLevel(tickNanos, wheelSize, resolution, List.copyOf(contents));
  }

  /** Returns how many entries it examined. */
  private static int add(
      TimingWheels wheels,
      Bucket bucket,
      int most,
      NavigableMap<WheelLevel, NavigableMap<Long, Content>> levels) {
    int size = bucket.size();
    if (size == 0) {
      return 0;
    }
    boolean isDue = bucket == wheels.due();
    long tick = wheels.tickNanos();
    long start = product(isDue ? wheels.clock() : bucket.start, tick);
    long ended = bucket.countEnded(EXAMINED) * (long) size / Math.min(size, EXAMINED);
    Content content =
        new Content(
            start,
            isDue ? start : product(bucket.visit, tick),
            bucket.state == Bucket.State.SPLITTING,
            size - ended,
            ended,
            most == 0 ? List.of() : bucket.firstScheduled(most));
    levels
        .computeIfAbsent(
            new WheelLevel(tick, wheels.wheelSize(), bucket.resolution, List.of()),
            level -> new TreeMap<>())
        .merge(start, content, Content::plus);
    return Math.min(size, EXAMINED);
  }

  private static long product(long ticks, long tickNanos) {
    return ticks > Long.MAX_VALUE / tickNanos ? Long.MAX_VALUE : ticks * tickNanos;
  }
}
