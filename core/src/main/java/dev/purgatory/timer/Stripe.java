package dev.purgatory.timer;

import dev.purgatory.internal.TimerEntry;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

/**
 * A part of a timer's entries: timing wheels behind a lock. Entries in different stripes do not
 * contend.
 */
final class Stripe {

  /*
   * All of the wheels and of the entries in them is guarded by `lock`. It is held for a bounded number
   * of steps and never while code from outside runs. It is not a monitor, because virtual threads that
   * wait for a monitor pin their carriers on JDK 21 to 23.
   *
   * Three fields are written under the lock and read without. `nextDue` never lies after the first due
   * bucket of the entries whose insertion is complete, so a clock that sleeps until then oversleeps
   * nothing. It may lie before it, where entries were cancelled since; that costs a look, once.
   * `splitting` is set by the threads that drive the clock, and matters to them alone. `size` says
   * whether a sweep is due, for which any recent value does: it is opaque, as a volatile write for each
   * insertion would cost a fence.
   */

  /** Steps that are taken in one hold of the lock. */
  static final int BATCH = 256;

  /** Entries of one tick that are put in order before the first of them fires. */
  private static final int MOST_SORTED = 16 * BATCH;

  private static final VarHandle SIZE;

  static {
    try {
      SIZE = MethodHandles.lookup().findVarHandle(Stripe.class, "size", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private static final Comparator<TimerEntry> BY_DEADLINE =
      Comparator.comparingLong(TimerEntry::deadline);

  private final ReentrantLock lock = new ReentrantLock();
  private final TimingWheels wheels;
  private volatile long nextDue = TimingWheels.NEVER;
  private volatile boolean splitting;

  @SuppressWarnings("UnusedVariable") // read and written through SIZE
  private int size;

  Stripe(long tickNanos, int wheelSize) {
    wheels = new TimingWheels(tickNanos, wheelSize);
  }

  boolean tryLock() {
    return lock.tryLock();
  }

  void lock() {
    lock.lock();
  }

  void unlock() {
    SIZE.setOpaque(this, wheels.size());
    lock.unlock();
  }

  /** The time at which something in here is due. Racy. */
  long nextDue() {
    return nextDue;
  }

  /** Whether there is something to {@link #splitAhead}. Racy. */
  boolean isSplitting() {
    return splitting;
  }

  /** The number of entries in here, including those that have ended. Racy. */
  int size() {
    return (int) SIZE.getOpaque(this);
  }

  /**
   * Puts in an entry whose deadline is set. To be called with the lock held.
   *
   * @param now a time on the timer's clock before which nothing fires any more
   * @return whether a sleeping clock has to be told, as this is due before all others in here
   */
  boolean insert(TimerEntry entry, long now) {
    long due = wheels.insert(entry, now);
    boolean earlier = due < nextDue;
    if (earlier) {
      nextDue = due;
    }
    return earlier;
  }

  /**
   * Takes out entries that are due at {@code now} and gives each to the action, in the order of
   * their deadlines, outside the lock. May prepare some instead: there are more while {@link
   * #nextDue} is not after {@code now}.
   *
   * @return for how many of them the action gave true
   */
  int expire(long now, Predicate<TimerEntry> action) {
    ArrayList<TimerEntry> expired = new ArrayList<>();
    int count = 0;
    try {
      collect(now, expired);
    } finally { // Where memory is lacking, those that were taken out still have to fire.
      sort(expired);
      for (TimerEntry entry : expired) {
        count += action.test(entry) ? 1 : 0;
      }
    }
    return count;
  }

  @SuppressWarnings("NonApiType") // Room is made before entries are taken out.
  private void collect(long now, ArrayList<TimerEntry> expired) {
    TimerEntry[] batch = new TimerEntry[BATCH];
    int count;
    do {
      expired.ensureCapacity(expired.size() + BATCH);
      count = expireBatch(now, batch);
      for (int i = 0; i < count; i++) {
        expired.add(batch[i]);
      }
    } while (count > 0 && nextDue <= now && expired.size() < MOST_SORTED);
  }

  private int expireBatch(long now, TimerEntry[] batch) {
    lock.lock();
    try {
      return wheels.advance(now, batch);
    } finally {
      publishAndUnlock();
    }
  }

  private static void sort(List<TimerEntry> expired) {
    try {
      expired.sort(BY_DEADLINE);
    } catch (OutOfMemoryError e) {
      // They were taken out and have to fire, in whatever order.
    }
  }

  /** Prepares some of the entries that are due soon. */
  void splitAhead() {
    lock.lock();
    try {
      wheels.splitAhead(BATCH);
    } finally {
      publishAndUnlock();
    }
  }

  private void publishAndUnlock() {
    try {
      nextDue = wheels.nextDue();
      splitting = wheels.isSplitting();
    } finally {
      unlock();
    }
  }

  /** Removes entries that have ended, among so many of those that are next, or a few more. */
  void sweep(int looks) {
    for (int left = looks; left > 0; left -= BATCH) {
      lock.lock();
      try {
        wheels.sweep(BATCH);
      } finally {
        unlock();
      }
    }
  }

  /** Removes entries that have ended: those that are here now. */
  void sweepAll() {
    lock.lock();
    int left = wheels.toSweep();
    unlock();
    sweep(left);
  }
}
