package dev.purgatory;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Counts values by their size. Each bucket spans a quarter of a power of two, so a percentile is at
 * most 25 % above the exact one. Thread-safe, of constant size.
 */
public final class Histogram {
  private static final int PER_POWER = 4;
  private static final int POWER_BITS = 2;

  private final AtomicLongArray counts = new AtomicLongArray(PER_POWER * Long.SIZE);
  private final AtomicLong max = new AtomicLong();

  Histogram() {}

  void record(long value) {
    long counted = Math.max(0, value);
    counts.incrementAndGet(bucket(counted));
    if (counted > max.get()) {
      max.accumulateAndGet(counted, Math::max);
    }
  }

  /** Forgets all values. A value that is recorded at the same time may be kept or forgotten. */
  void reset() {
    for (int i = 0; i < counts.length(); i++) {
      counts.set(i, 0);
    }
    max.set(0);
  }

  private static int bucket(long value) {
    if (value < PER_POWER) {
      return (int) value;
    }
    int power = Long.SIZE - 1 - Long.numberOfLeadingZeros(value);
    int quarter = (int) (value >>> (power - POWER_BITS)) & (PER_POWER - 1);
    return (power - 1) * PER_POWER + quarter;
  }

  /** Returns the greatest value of a bucket. */
  private static long greatest(int bucket) {
    if (bucket < PER_POWER) {
      return bucket;
    }
    int shift = bucket / PER_POWER + 1 - POWER_BITS;
    return ((long) (PER_POWER + bucket % PER_POWER + 1) << shift) - 1;
  }

  /**
   * Returns how many values were counted.
   *
   * @return 0 or more
   */
  public long count() {
    long count = 0;
    for (int i = 0; i < counts.length(); i++) {
      count += counts.get(i);
    }
    return count;
  }

  /**
   * Returns how many values were counted in each bucket. The difference of two results is the count
   * between them.
   *
   * @return the counts by the greatest value of their bucket, in ascending order, without empty
   *     buckets; a copy
   */
  public SortedMap<Long, Long> buckets() {
    SortedMap<Long, Long> buckets = new TreeMap<>();
    for (int i = 0; i < counts.length(); i++) {
      long count = counts.get(i);
      if (count > 0) {
        buckets.put(greatest(i), count);
      }
    }
    return Collections.unmodifiableSortedMap(buckets);
  }

  /**
   * Returns a value that this share of the values do not exceed.
   *
   * @param percent above 0, up to 100, which gives the greatest value
   * @return at most 25 % above the exact percentile, for 100 exact; 0 if there are no values
   * @throws IllegalArgumentException if the percentage is out of range
   */
  public long percentile(double percent) {
    if (!(percent > 0 && percent <= 100)) {
      throw new IllegalArgumentException("percentile " + percent + " is not above 0, up to 100");
    }
    long left = (long) Math.ceil(count() * percent / 100);
    for (int i = 0; i < counts.length(); i++) {
      left -= counts.get(i);
      if (left <= 0 && counts.get(i) > 0) {
        return Math.min(max.get(), greatest(i));
      }
    }
    return max.get();
  }

  @Override
  public String toString() {
    return "count %d, p50 %d, p99 %d, max %d"
        .formatted(count(), percentile(50), percentile(99), max.get());
  }
}
