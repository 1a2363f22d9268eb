package dev.purgatory.timer;

import org.jspecify.annotations.Nullable;

/**
 * One level of the hierarchy: a ring of buckets that span {@code resolution} ticks each. Buckets
 * and the level above are made on demand. Not thread-safe.
 *
 * <p>A wheel of n buckets has a ring of 2n, and the level above has n times its resolution. So an
 * upper bucket, which spans n buckets here, fits into this ring as a whole from the moment when the
 * clock is one such span before it: there is a span of time to move its entries down.
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
   * Whether a tick has a bucket in this ring. The numbers of buckets are compared, not spans added,
   * so that nothing can overflow.
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
   * Returns the level above. It is asked for only where this one does not reach, so a turn of this
   * one is less than {@link Long#MAX_VALUE} ticks, and the product is too.
   */
  Wheel overflow() {
    if (overflow == null) {
      int size = ring.length / 2;
      overflow = new Wheel(resolution * size, size, sweeper);
    }
    return overflow;
  }
}
