package dev.purgatory.timer;

import java.util.ArrayList;
import java.util.List;
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
   * through that list, where each entry fires or is put into a finer bucket. Only so may the clock
   * jump to the present in one step: once it has, the slots of past buckets serve for later ticks, and
   * their entries must have left. It also lets the second phase pause and go on later, for the lock
   * around this class to be held for a bounded number of entries.
   *
   * An entry ends by itself, without this class being told, and is removed when it is met: when its
   * bucket is due, or by the sweeper. For each chunk but the first of a bucket it looks at twice as many
   * entries and buckets as fit into that chunk: for n > 4 entries in a bucket, at 4/3 n or more. So what
   * has ended stays in proportion to what is scheduled and the number of buckets, without a look at all
   * of them at once. A bucket of up to four entries pays for nothing: a timer whose entries are mostly
   * due before a second chunk begins has nothing to gain.
   *
   * A bucket that was emptied stays queued until it comes to the head of the queue.
   *
   * Whatever may fail for want of memory (a new level, a new bucket, a place in the queue, a chunk) is
   * done before an entry is removed from where it was.
   */

  static final long NEVER = Long.MAX_VALUE;

  /**
   * How many entries at the head of the queue are looked at, at most, for one that has not ended.
   */
  private static final int MOST_AT_HEAD = 2 * Chunk.MAX_LENGTH;

  private final long tickNanos;
  private final Sweeper sweeper = new Sweeper();
  private final Wheel lowest;
  private final PriorityQueue<Bucket> queue = new PriorityQueue<>();
  private final Bucket due = new Bucket();
  private long clock;
  private int size;

  TimingWheels(long tickNanos, int wheelSize) {
    this.tickNanos = tickNanos;
    this.lowest = new Wheel(1, wheelSize, sweeper);
  }

  /** The number of entries in here, those included that have ended. */
  int size() {
    return size;
  }

  /**
   * Adds an entry whose deadline is set. One that is due already fires with the next advance.
   *
   * @return the time at which its bucket is due
   */
  long insert(TimerEntry entry) {
    Bucket bucket = bucketOf(entry);
    if (bucket.isFull() && !bucket.isEmpty()) {
      sweep(2 * bucket.nextRoom());
    }
    append(bucket, entry);
    size++;
    return bucket == due ? clock * tickNanos : saturatedProduct(bucket.tick, tickNanos);
  }

  private static void append(Bucket bucket, TimerEntry entry) {
    if (bucket.isFull()) {
      bucket.grow();
    }
    bucket.append(entry);
  }

  /** Removes what has ended, among so many entries and buckets. */
  void sweep(int most) {
    size -= sweeper.sweep(most);
  }

  /** How many entries and buckets there are to sweep. */
  int toSweep() {
    return size + sweeper.buckets().size();
  }

  /**
   * Returns a time until which nothing is due: the begin of the first bucket that holds entries, or
   * {@link #NEVER}. Where very many entries of that bucket have ended, some are taken to have not.
   */
  long nextDue() {
    if (!due.isEmpty()) {
      return clock * tickNanos;
    }
    for (Bucket head; (head = queue.peek()) != null; dequeue()) {
      removeEnded(head);
      if (!head.isEmpty()) {
        return saturatedProduct(head.tick, tickNanos);
      }
    }
    return NEVER;
  }

  private void removeEnded(Bucket head) {
    for (int i = 0; i < MOST_AT_HEAD && !head.isEmpty() && !head.first().isScheduled(); i++) {
      head.removeFirst();
      size--;
    }
  }

  /**
   * Moves the clock to {@code now}, if that is later, and removes entries that are due, into the
   * array from its start. Handles as many entries as the array is long; while {@link #isBehind}
   * there are more.
   *
   * @return the number of entries in the array; they have ended
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
      if (tick(entry) > clock) {
        if (!moveToFinerBucket(entry, /* failureEndsIt= */ count == 0)) {
          break;
        }
      } else if (entry.end()) {
        fired[count++] = entry;
      }
      due.removeFirst();
      size--;
    }
    return count;
  }

  /** Where memory is lacking, those that were taken out before still have to fire. */
  private boolean moveToFinerBucket(TimerEntry entry, boolean failureEndsIt) {
    try {
      if (entry.isScheduled()) {
        append(bucketOf(entry), entry);
        size++;
      }
      return true;
    } catch (OutOfMemoryError e) {
      if (failureEndsIt) {
        throw e;
      }
      return false;
    }
  }

  /** Returns all buckets, that of what is due included, for tests to look at. */
  List<Bucket> buckets() {
    List<Bucket> all = new ArrayList<>(sweeper.buckets());
    all.add(due);
    return all;
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
