package dev.purgatory.timer;

import org.jspecify.annotations.Nullable;

/**
 * One level of the hierarchy: a ring of buckets that span {@code resolution} ticks each. Buckets
 * and the level above are made on demand. Not thread-safe.
 *
 * <p>With the clock at tick c, the ring reaches the ticks whose number of the bucket, tick divided
 * by resolution, is less than {@code size} above that of c. No two of these share a slot of the
 * ring.
 */
final class Wheel {
  private final long resolution;
  private final @Nullable Bucket[] buckets;
  private final Sweeper sweeper;
  private @Nullable Wheel overflow;

  Wheel(long resolution, int size, Sweeper sweeper) {
    this.sweeper = sweeper;
    this.resolution = resolution;
    this.buckets = new Bucket[size];
  }

  /** Numbers of buckets are compared, not spans added, so that nothing can overflow. */
  boolean reaches(long tick, long clock) {
    return tick / resolution - clock / resolution < buckets.length;
  }

  /** Returns the bucket of a tick that this wheel reaches; it is due when the span begins. */
  Bucket bucket(long tick) {
    long number = tick / resolution;
    int slot = (int) (number % buckets.length);
    Bucket bucket = buckets[slot];
    if (bucket == null) {
      bucket = new Bucket();
      sweeper.add(bucket);
      buckets[slot] = bucket;
    }
    if (!bucket.queued) {
      bucket.tick = number * resolution;
    }
    return bucket;
  }

  /**
   * Returns the level above. It is asked for only where this one does not reach, so a turn of this
   * one is less than {@link Long#MAX_VALUE} ticks, and the product is too.
   */
  Wheel overflow() {
    if (overflow == null) {
      overflow = new Wheel(resolution * buckets.length, buckets.length, sweeper);
    }
    return overflow;
  }
}
