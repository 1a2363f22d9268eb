package dev.purgatory.wheel;

import org.jspecify.annotations.Nullable;

/**
 * One level of the hierarchy: a ring of buckets that span 2<sup>shift</sup> ticks each. Buckets and
 * the level above are created on demand. Not thread-safe.
 *
 * <p>A wheel of n buckets has a ring of 2n, and the level above has n times its resolution. So the
 * entries of an upper bucket, which spans n buckets here, fit into this ring once the clock is one
 * such span before the bucket. That leaves a whole span of time to move them down. All these
 * numbers are powers of two, because an insertion would need up to eight divisions otherwise.
 */
final class Wheel {
  private final int shift;
  private final int slots;

  /** Null until the first bucket: a timer has a wheel for each stripe, and may use few of them. */
  private @Nullable Bucket @Nullable [] ring;

  private final TimingWheels wheels;
  private @Nullable Wheel overflow;

  /** Creates a level whose buckets span 2<sup>shift</sup> ticks; the size is a power of two. */
  Wheel(int shift, int size, TimingWheels wheels) {
    assert Integer.bitCount(size) == 1 : size;
    this.wheels = wheels;
    this.shift = shift;
    this.slots = 2 * size;
  }

  /**
   * Returns whether a tick has a bucket in this ring. Compares bucket numbers, which cannot
   * overflow.
   */
  boolean reaches(long tick, long clock) {
    return (tick >> shift) - (clock >> shift) < slots;
  }

  /** Returns the bucket of a tick that this wheel reaches. */
  Bucket bucket(long tick) {
    long number = tick >> shift;
    int slot = (int) number & (slots - 1);
    @Nullable Bucket[] buckets = ring;
    if (buckets == null) {
      buckets = new Bucket[slots];
      ring = buckets;
    }
    Bucket bucket = buckets[slot];
    if (bucket == null) {
      bucket = new Bucket(1L << shift);
      wheels.add(bucket);
      buckets[slot] = bucket;
    }
    return bucket;
  }

  /**
   * Returns the level above. Called only for ticks that this level does not reach: so a turn of
   * this level is less than {@link Long#MAX_VALUE} ticks, and the shift does not overflow.
   */
  Wheel overflow() {
    if (overflow == null) {
      int size = slots / 2;
      overflow = new Wheel(shift + Integer.numberOfTrailingZeros(size), size, wheels);
    }
    return overflow;
  }

  /** The number of places for buckets, on this level and those above. For tests. */
  long slots() {
    return slots + (overflow == null ? 0 : overflow.slots());
  }
}
