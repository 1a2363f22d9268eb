package dev.purgatory.timer;

import org.jspecify.annotations.Nullable;

/**
 * One level of the hierarchy: a ring of buckets that span {@code resolution} ticks each. Buckets
 * and the level above are created on demand. Not thread-safe.
 *
 * <p>A wheel of n buckets has a ring of 2n, and the level above has n times its resolution. So the
 * entries of an upper bucket, which spans n buckets here, fit into this ring once the clock is one
 * such span before the bucket. That leaves a whole span of time to move them down.
 */
final class Wheel {
  private final long resolution;
  private final @Nullable Bucket[] ring;
  private final Sweeper sweeper;
  private @Nullable Wheel overflow;

  Wheel(long resolution, int size, Sweeper sweeper) {
    this.sweeper = sweeper;
    this.resolution = resolution;
    this.ring = new Bucket[2 * size];
  }

  /**
   * Returns whether a tick has a bucket in this ring. Compares bucket numbers, which cannot
   * overflow.
   */
  boolean reaches(long tick, long clock) {
    return tick / resolution - clock / resolution < ring.length;
  }

  /** Returns the bucket of a tick that this wheel reaches. */
  Bucket bucket(long tick) {
    long number = tick / resolution;
    int slot = (int) (number % ring.length);
    Bucket bucket = ring[slot];
    if (bucket == null) {
      bucket = new Bucket(resolution);
      sweeper.add(bucket);
      ring[slot] = bucket;
    }
    if (!bucket.queued) {
      bucket.begin(number);
    }
    return bucket;
  }

  /**
   * Returns the level above. Called only for ticks that this level does not reach: so a turn of
   * this level is less than {@link Long#MAX_VALUE} ticks, and the product does not overflow.
   */
  Wheel overflow() {
    if (overflow == null) {
      int size = ring.length / 2;
      overflow = new Wheel(resolution * size, size, sweeper);
    }
    return overflow;
  }

  /** The number of places for buckets, on this level and those above. For tests. */
  long slots() {
    return ring.length + (overflow == null ? 0 : overflow.slots());
  }
}
