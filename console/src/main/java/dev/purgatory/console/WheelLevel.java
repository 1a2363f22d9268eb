package dev.purgatory.console;

import dev.purgatory.threads.TimerInternals;
import dev.purgatory.timer.Timer;
import dev.purgatory.wheel.BucketContent;
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
record WheelLevel(long tickNanos, int wheelSize, long resolution, List<BucketContent> buckets) {

  private static final Comparator<WheelLevel> ORDER =
      Comparator.comparingLong(WheelLevel::tickNanos)
          .thenComparingInt(WheelLevel::wheelSize)
          .thenComparingLong(WheelLevel::resolution);

  /**
   * Reads the levels with entries, by their ticks, wheel sizes and resolutions.
   *
   * @param most how many entries of each bucket of a stripe to return
   */
  static List<WheelLevel> of(Timer timer, int most) {
    NavigableMap<WheelLevel, NavigableMap<Long, BucketContent>> levels = new TreeMap<>(ORDER);
    for (BucketContent each : TimerInternals.of(timer).wheels().buckets(most)) {
      levels
          .computeIfAbsent(
              new WheelLevel(each.tickNanos(), each.wheelSize(), each.resolution(), List.of()),
              level -> new TreeMap<>())
          .merge(each.start(), each, BucketContent::plus);
    }
    return levels.entrySet().stream()
        .map(each -> each.getKey().with(List.copyOf(each.getValue().values())))
        .toList();
  }

  private WheelLevel with(List<BucketContent> contents) {
    return new WheelLevel(tickNanos, wheelSize, resolution, contents);
  }

  /** Returns the number of this level: 1 is the finest one; 0: the entries that are due. */
  int number() {
    int number = resolution == 0 ? 0 : 1;
    for (long rest = resolution; rest > 1; rest /= wheelSize) {
      number++;
    }
    return number;
  }

  /** Returns how much time a bucket spans; 0 for the entries that are due. */
  long bucketNanos() {
    return resolution > Long.MAX_VALUE / tickNanos ? Long.MAX_VALUE : resolution * tickNanos;
  }

  long pending() {
    return buckets.stream().mapToLong(BucketContent::pending).sum();
  }

  long ended() {
    return buckets.stream().mapToLong(BucketContent::ended).sum();
  }
}
