package dev.purgatory.timer;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * A part of a timer's entries: timing wheels behind a lock. Entries in different stripes do not
 * contend.
 */
final class Stripe {

  /*
   * All of the wheels and of the entries in them is guarded by `lock`, but for racy looks at how many
   * there are, for a purge. The lock is held for a bounded number of steps and never while code from
   * outside runs. It is not a monitor, because virtual threads that wait for a monitor pin their
   * carriers on JDK 21 to 23.
   *
   * `nextDue` is written under the lock and read without: it never lies after the first due bucket of
   * the entries whose insertion is complete, so whoever sleeps until then oversleeps nothing. It may
   * lie before it, where entries were cancelled since; that costs a look, once.
   */

  /** Entries that are handled in one hold of the lock. */
  private static final int BATCH = 256;

  private final ReentrantLock lock = new ReentrantLock();
  private final TimingWheels wheels;
  private volatile long nextDue = TimingWheels.NEVER;

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
    lock.unlock();
  }

  long nextDue() {
    return nextDue;
  }

  /**
   * Puts in an entry whose deadline is set. To be called with the lock held.
   *
   * @return whether a sleeping clock has to be told, as this is due before all others in here
   */
  boolean insert(TimerEntry entry) {
    long due = wheels.insert(entry);
    boolean earlier = due < nextDue;
    if (earlier) {
      nextDue = due;
    }
    return earlier;
  }

  /**
   * Takes out all entries that are due at {@code now} and gives each to the action, outside the
   * lock.
   *
   * @return their number
   */
  int expire(long now, Consumer<TimerEntry> action) {
    TimerEntry[] batch = new TimerEntry[BATCH];
    int total = 0;
    boolean behind;
    do {
      int count;
      lock.lock();
      try {
        count = wheels.advance(now, batch);
        behind = wheels.isBehind();
        nextDue = wheels.nextDue();
      } finally {
        lock.unlock();
      }
      for (int i = 0; i < count; i++) {
        action.accept(batch[i]);
      }
      total += count;
    } while (behind);
    return total;
  }

  /** The number of entries in here, those included that have ended. Racy: one of some moment. */
  int size() {
    return wheels.size();
  }

  /** Removes entries that have ended: those that were there at a racy look. */
  void sweep() {
    for (int left = wheels.toSweep(); left > 0; left -= BATCH) {
      lock.lock();
      try {
        wheels.sweep(BATCH);
      } finally {
        lock.unlock();
      }
    }
  }
}
