package dev.purgatory.timer;

import static java.util.Objects.requireNonNull;

/**
 * The entries of one slot of a {@link Wheel}: a ring of entries, linked through themselves, that
 * begins and ends at the bucket. Not thread-safe.
 */
final class Bucket extends TimerEntry implements Comparable<Bucket> {

  /** The tick at which the bucket is due. It may change only while the bucket is not queued. */
  long tick;

  /** Whether the bucket waits in the queue of buckets. An empty one may, until it is met there. */
  boolean queued;

  Bucket() {
    prev = this;
    next = this;
  }

  boolean isEmpty() {
    return next == this;
  }

  TimerEntry first() {
    return requireNonNull(next);
  }

  void append(TimerEntry entry) {
    link(requireNonNull(prev), entry);
    link(entry, this);
  }

  /** Moves all entries of the other bucket to the end of this one. */
  void takeAll(Bucket other) {
    if (other.isEmpty()) {
      return;
    }
    link(requireNonNull(prev), requireNonNull(other.next));
    link(requireNonNull(other.prev), this);
    other.next = other;
    other.prev = other;
  }

  static void unlink(TimerEntry entry) {
    link(requireNonNull(entry.prev), requireNonNull(entry.next));
    entry.prev = null;
    entry.next = null;
  }

  private static void link(TimerEntry left, TimerEntry right) {
    left.next = right;
    right.prev = left;
  }

  @Override
  public int compareTo(Bucket other) {
    return Long.compare(tick, other.tick);
  }

  @Override
  protected void onTimeout() {
    throw new AssertionError("a bucket is not an entry");
  }
}
