package dev.purgatory.timer;

import java.util.PriorityQueue;

/**
 * Hierarchical timing wheels: entries by deadline. Passive: time comes in as an argument, as
 * nanoseconds from 0 up; there is no thread, no clock and no lock here. Not thread-safe.
 *
 * <p>The rounding rule is here: a deadline is rounded up to a tick, the time now is rounded down.
 * So nothing fires early, and what is asked at every tick fires less than one tick late.
 */
final class TimingWheels {

  /*
   * Buckets that hold entries are in `queue`, ordered by the tick at which they are due. `advance`
   * works in two phases: it moves the entries of all buckets that are due to `due`, and then goes
   * through that list, where each entry fires or is linked into a finer bucket. Only so may the clock
   * jump to the present in one step: once it has, the slots of past buckets serve for later ticks, and
   * their entries must have left. It also lets the second phase pause and go on later, for the lock
   * around this class to be held for a bounded number of entries. An entry can be removed in any phase.
   *
   * A bucket that was emptied by removals stays queued until it comes to the head of the queue.
   * Taking it out at once would cost a search on the hot path, where an entry often is the only one
   * of its bucket.
   *
   * Whatever may fail for want of memory (a new level, a new bucket, a place in the queue) is
   * done before an entry is unlinked from where it was.
   */

  static final long NEVER = Long.MAX_VALUE;

  private final long tickNanos;
  private final Wheel lowest;
  private final PriorityQueue<Bucket> queue = new PriorityQueue<>();
  private final Bucket due = new Bucket();
  private long clock;
  private int size;

  TimingWheels(long tickNanos, int wheelSize) {
    this.tickNanos = tickNanos;
    this.lowest = new Wheel(1, wheelSize);
  }

  int size() {
    return size;
  }

  /** Links an entry whose deadline is set. One that is due already fires with the next advance. */
  void insert(TimerEntry entry) {
    bucketOf(entry).append(entry);
    size++;
  }

  /** Unlinks an entry that is in here. */
  void remove(TimerEntry entry) {
    Bucket.unlink(entry);
    size--;
  }

  /**
   * Returns a time until which nothing is due: the begin of the first bucket that holds entries, or
   * {@link #NEVER}.
   */
  long nextDue() {
    if (!due.isEmpty()) {
      return clock * tickNanos;
    }
    for (Bucket head; (head = queue.peek()) != null; dequeue()) {
      if (!head.isEmpty()) {
        return saturatedProduct(head.tick, tickNanos);
      }
    }
    return NEVER;
  }

  /**
   * Moves the clock to {@code now}, if that is later, and removes entries that are due, into the
   * array from its start. Handles as many entries as the array is long; while {@link #isBehind}
   * there are more.
   *
   * @return the number of entries in the array
   */
  int advance(long now, TimerEntry[] fired) {
    clock = Math.max(clock, now / tickNanos);
    for (Bucket head; (head = queue.peek()) != null && head.tick <= clock; ) {
      dequeue();
      due.takeAll(head);
    }
    int count = 0;
    for (int budget = fired.length; budget > 0 && !due.isEmpty(); budget--) {
      TimerEntry entry = due.first();
      if (tick(entry) <= clock) {
        remove(entry);
        fired[count++] = entry;
      } else if (!moveToFinerBucket(entry, /* failureEndsIt= */ count == 0)) {
        break;
      }
    }
    return count;
  }

  /** Where memory is lacking, those that were taken out before still have to fire. */
  private boolean moveToFinerBucket(TimerEntry entry, boolean failureEndsIt) {
    Bucket finer;
    try {
      finer = bucketOf(entry);
    } catch (OutOfMemoryError e) {
      if (failureEndsIt) {
        throw e;
      }
      return false;
    }
    Bucket.unlink(entry);
    finer.append(entry);
    return true;
  }

  /** Whether the last advance left entries unhandled. */
  boolean isBehind() {
    return !due.isEmpty();
  }

  private Bucket bucketOf(TimerEntry entry) {
    long tick = tick(entry);
    if (tick <= clock) {
      return due;
    }
    Wheel wheel = lowest;
    while (!wheel.reaches(tick, clock)) {
      wheel = wheel.overflow();
    }
    Bucket bucket = wheel.bucket(tick);
    if (!bucket.queued) {
      queue.add(bucket);
      bucket.queued = true;
    }
    return bucket;
  }

  private void dequeue() {
    queue.remove().queued = false;
  }

  /** Rounded up, for an entry never to fire early. */
  private long tick(TimerEntry entry) {
    long floor = entry.deadline / tickNanos;
    return floor * tickNanos == entry.deadline ? floor : floor + 1;
  }

  private static long saturatedProduct(long a, long b) {
    return a > Long.MAX_VALUE / b ? Long.MAX_VALUE : a * b;
  }
}
