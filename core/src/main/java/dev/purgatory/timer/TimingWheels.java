package dev.purgatory.timer;

import dev.purgatory.internal.TimerEntry;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Hierarchical timing wheels: entries by deadline. Passive: time comes in as an argument, as
 * nanoseconds from 0 up; there is no thread, no clock and no lock here. Not thread-safe.
 *
 * <p>The rounding rule is here: a deadline is rounded up to a tick, the time now is rounded down.
 * So nothing fires early, and an entry fires less than one tick late if the clock is advanced at
 * every tick.
 */
final class TimingWheels {

  /*
   * Buckets that hold entries wait in `queue`, ordered by the tick at which the clock has to look at
   * them. The clock moves from one such tick to the next, also when it has a long way to go: so
   * entries fire in the order of their ticks, and each bucket is looked at when the clock is where
   * the wheels expect it. A bucket of the lowest level is moved to `due` as a whole, from where its
   * entries fire one by one.
   *
   * The entries of an upper bucket move down to finer ones: the bucket is split. That may begin one
   * span before the bucket starts, and has to be over when it starts. In between it is done in steps,
   * by `splitAhead`, while nothing else is due: a bucket of millions of entries holds up nobody. What
   * is left at its start, as the clock was late, moves then, before anything of this tick fires.
   * Entries that ended meanwhile are dropped.
   *
   * `advance` and `splitAhead` take a bounded number of steps, so that the lock around this class is
   * held for a bounded time.
   *
   * An entry ends without this class being told, and is removed when it is met: by the clock or by
   * a sweep. A bucket that was emptied stays queued until it comes to the head of the queue.
   *
   * Whatever may fail for want of memory (a new level, a new bucket, a place in the queue, a chunk) is
   * done before an entry is removed from where it was.
   */

  static final long NEVER = Long.MAX_VALUE;

  /** How many ended entries are removed, at most, in search of the next one that has not ended. */
  private static final int MOST_AT_HEAD = 2 * Chunk.MAX_LENGTH;

  private final long tickNanos;
  private final long turnNanos;
  private final Sweeper sweeper = new Sweeper();
  private final Wheel lowest;
  private final PriorityQueue<Bucket> queue = new PriorityQueue<>();
  private final ArrayList<Bucket> splitting = new ArrayList<>();
  private final Bucket due = new Bucket(1);
  private long clock;
  private int size;

  TimingWheels(long tickNanos, int wheelSize) {
    this.tickNanos = tickNanos;
    this.turnNanos = nanos(wheelSize);
    this.lowest = new Wheel(1, wheelSize, sweeper);
    sweeper.add(due);
  }

  /** The number of entries in here, including those that have ended. */
  int size() {
    return size;
  }

  /** The tick up to which the clock has come. */
  long clock() {
    return clock;
  }

  /**
   * Adds an entry whose deadline is set.
   *
   * @param now moves the clock to that time, if nothing is due before
   * @return the time at which the clock has to look at its bucket
   */
  long insert(TimerEntry entry, long now) {
    moveClock(now);
    Bucket bucket = bucketOf(entry);
    bucket.append(entry);
    size++;
    return nanos(bucket == due ? clock : bucket.due);
  }

  /** Else the clock of wheels that were empty for long would lag, and entries come too high up. */
  private void moveClock(long now) {
    if (now - clock * tickNanos > turnNanos && due.isEmpty()) {
      long tick = now / tickNanos;
      Bucket head = queue.peek();
      clock = Math.max(clock, head == null ? tick : Math.min(tick, head.due));
    }
  }

  /** Removes entries that have ended, among so many entries and buckets. */
  void sweep(int most) {
    size -= sweeper.sweep(most);
  }

  /** How many entries and buckets there are to sweep. */
  int toSweep() {
    return size + sweeper.buckets().size();
  }

  /**
   * Returns a time until which the clock has nothing to do but to {@link #splitAhead}, or {@link
   * #NEVER}. Where very many entries of the next buckets have ended, it may be the time of one of
   * these.
   */
  long nextDue() {
    if (!due.isEmpty()) {
      return nanos(clock);
    }
    int budget = MOST_AT_HEAD;
    for (Bucket head; (head = queue.peek()) != null; dequeue()) {
      budget -= removeEnded(head, budget);
      if (!head.isEmpty()) {
        return nanos(head.due);
      }
    }
    return NEVER;
  }

  private int removeEnded(Bucket head, int most) {
    int removed = 0;
    while (removed < most && !head.isEmpty() && !head.first().isScheduled()) {
      head.removeFirst();
      removed++;
    }
    size -= removed;
    return removed;
  }

  /**
   * Moves the clock towards {@code now}, and removes entries that are due, in the order of their
   * ticks, into the array from its start. Takes as many steps as the array is long; there is more
   * to do while {@link #nextDue} is not after {@code now}.
   *
   * @return the number of entries in the array
   */
  int advance(long now, TimerEntry[] fired) {
    int count = 0;
    for (int steps = fired.length; steps > 0 && hasDue(now / tickNanos); steps--) {
      if (mustSplit()) {
        if (!splitFirst(queue.element(), /* failureEndsIt= */ count == 0)) {
          break;
        }
      } else {
        TimerEntry entry = due.first();
        if (entry.isScheduled()) {
          fired[count++] = entry;
        }
        due.removeFirst();
        size--;
      }
    }
    return count;
  }

  /** Whether the clock has come to a bucket that is not empty yet. */
  private boolean mustSplit() {
    Bucket head = queue.peek();
    return head != null && head.due <= clock;
  }

  /**
   * Moves the clock to the next tick with entries, or to the target.
   *
   * @return whether there are some: in an upper bucket at the head of the queue, which must be
   *     split, or else all in {@code due}
   */
  private boolean hasDue(long target) {
    while (!due.isEmpty() || moveClockToNext(target)) {
      Bucket head = queue.peek();
      if (head == null || head.due > clock) {
        return true;
      }
      if (head.splitting && !head.isEmpty()) {
        return true;
      }
      dequeue();
      if (head.isLowest()) {
        due.takeAll(head);
      } else if (!head.isEmpty()) {
        beginSplit(head);
      }
    }
    return false;
  }

  private boolean moveClockToNext(long target) {
    Bucket head = queue.peek();
    boolean exists = head != null && head.due <= target;
    clock = Math.max(clock, exists ? head.due : target);
    return exists;
  }

  private void beginSplit(Bucket bucket) {
    splitting.add(bucket);
    bucket.beginSplit();
    enqueue(bucket);
  }

  /** Whether there is something for {@link #splitAhead}. */
  boolean isSplitting() {
    return !splitting.isEmpty();
  }

  /**
   * Moves entries of an upper bucket that starts soon down to finer ones.
   *
   * @param most how many
   */
  void splitAhead(int most) {
    if (splitting.isEmpty()) {
      return;
    }
    Bucket bucket = Collections.min(splitting);
    for (int i = 0; i < most && !bucket.isEmpty(); i++) {
      boolean unused = splitFirst(bucket, /* failureEndsIt= */ true);
    }
    if (bucket.isEmpty()) {
      splitting.remove(bucket);
    }
  }

  /** Where memory is lacking, entries that were taken out before still have to fire. */
  private boolean splitFirst(Bucket bucket, boolean failureEndsIt) {
    try {
      TimerEntry entry = bucket.first();
      if (entry.isScheduled()) {
        bucketOf(entry).append(entry);
      } else {
        size--;
      }
      bucket.removeFirst();
      return true;
    } catch (OutOfMemoryError e) {
      if (failureEndsIt) {
        throw e;
      }
      return false;
    }
  }

  /** Returns all buckets, for tests to look at. */
  List<Bucket> buckets() {
    return sweeper.buckets();
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
      enqueue(bucket);
    }
    return bucket;
  }

  private void enqueue(Bucket bucket) {
    splitting.ensureCapacity(queue.size() + 1); // for each of them to get in without fail
    queue.add(bucket);
    bucket.queued = true;
  }

  private void dequeue() {
    Bucket head = queue.remove();
    head.queued = false;
    if (head.splitting) {
      head.splitting = false;
      splitting.remove(head);
    }
  }

  /** Rounded up, for an entry never to fire early. */
  private long tick(TimerEntry entry) {
    long floor = entry.deadline() / tickNanos;
    return floor * tickNanos == entry.deadline() ? floor : floor + 1;
  }

  private long nanos(long tick) {
    return tick > Long.MAX_VALUE / tickNanos ? Long.MAX_VALUE : tick * tickNanos;
  }
}
