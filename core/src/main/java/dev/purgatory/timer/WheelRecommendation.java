package dev.purgatory.timer;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

/**
 * A tick and a wheel size that fit the observed delays, {@link Timer#recommendation}.
 *
 * <p>The tick is at most a hundredth of the shortest delays, but at least 1 ms: so rounding up to a
 * tick delays 95 of 100 tasks by less than one percent. The first wheel is long enough for three
 * quarters of the delays, so most tasks never move from one wheel to another; it has at most 1,024
 * buckets.
 *
 * @param tick for {@link Timer#reconfigure} or {@link Timer.Builder#tick}
 * @param wheelSize for {@link Timer#reconfigure} or {@link Timer.Builder#wheelSize}
 * @param observed how many delays longer than zero were observed. If 0, the tick and the wheel size
 *     are the present ones
 * @param shortest a delay that at most 5 of 100 do not reach; exact to a factor of two
 * @param usual a delay that at most 25 of 100 exceed; exact to a factor of two
 */
public record WheelRecommendation(
    Duration tick, int wheelSize, long observed, Duration shortest, Duration usual) {

  private static final long SHORTEST_TICK = TimeUnit.MILLISECONDS.toNanos(1);
  private static final int TICKS_PER_DELAY = 100;
  private static final int SMALLEST = 64;
  private static final int LARGEST = 1024;

  /**
   * Derives a recommendation.
   *
   * @param counts the number of delays of each bit length, in nanoseconds
   * @param tickNanos the present tick
   * @param wheelSize the present wheel size
   */
  static WheelRecommendation of(long[] counts, long tickNanos, int wheelSize) {
    long observed = LongStream.of(counts).sum() - counts[0]; // no tick helps those without a delay
    if (observed == 0) {
      Duration tick = Duration.ofNanos(tickNanos);
      return new WheelRecommendation(tick, wheelSize, 0, Duration.ZERO, Duration.ZERO);
    }
    int low = bitLength(counts, observed / 20);
    int high = bitLength(counts, observed - 1 - observed / 4);
    long shortest = 1L << (low - 1);
    long usual = high == Long.SIZE - 1 ? Long.MAX_VALUE : 1L << high;
    long tick = tick(shortest);
    return new WheelRecommendation(
        Duration.ofNanos(tick),
        wheelSize(usual / tick),
        observed,
        Duration.ofNanos(shortest),
        Duration.ofNanos(usual));
  }

  /** Returns the bit length of the delay with this rank, counted from 0 for the shortest. */
  private static int bitLength(long[] counts, long rank) {
    int length = 1;
    for (long left = rank; left >= counts[length]; length++) {
      left -= counts[length];
    }
    return length;
  }

  /** Returns the greatest of 1, 2, 5, 10, 20, ... ms that is short enough. */
  private static long tick(long shortest) {
    long tick = SHORTEST_TICK;
    for (long unit = SHORTEST_TICK; unit <= shortest / TICKS_PER_DELAY; unit *= 10) {
      for (int times : new int[] {1, 2, 5}) {
        tick = unit * times <= shortest / TICKS_PER_DELAY ? unit * times : tick;
      }
    }
    return tick;
  }

  private static int wheelSize(long ticks) {
    int size = SMALLEST;
    while (size < LARGEST && size < ticks) {
      size *= 2;
    }
    return size;
  }
}
