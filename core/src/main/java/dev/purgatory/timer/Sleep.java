package dev.purgatory.timer;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Where the threads that drive a timer's clock wait for work. Thread-safe. */
final class Sleep {

  /*
   * A driver writes `until`, reads the stripes once more, and sleeps. A scheduler writes `nextDue` of its
   * stripe and then reads `until`. Both fields are volatile, so at least one of the two sees the other, and
   * no entry is overslept. Only an entry that is due before all others wakes the clock; cancelling never
   * does. With several drivers, `until` holds the latest of their times, or a later one.
   */

  private static final long AWAKE = Long.MIN_VALUE;

  private final Timer timer;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition wakeUp = lock.newCondition();
  private volatile long until = AWAKE;
  private int sleepers;

  Sleep(Timer timer) {
    this.timer = timer;
  }

  /** See {@link Timer#awaitDue}. */
  boolean await(long nanos) throws InterruptedException {
    long now = timer.now();
    long end = nanos > Long.MAX_VALUE - now ? Long.MAX_VALUE : now + nanos;
    lock.lock();
    sleepers++;
    try {
      for (long due; (due = timer.nextDue()) > now && timer.isWaiting(); now = timer.now()) {
        if (end <= now) {
          return false;
        }
        long wake = Math.min(due, end);
        until = sleepers == 1 ? wake : Math.max(until, wake);
        // Entries inserted before that write found no sleeper; entries inserted after it wake us.
        if (timer.nextDue() >= due && !timer.isClosed()) {
          wakeUp.awaitNanos(wake - now);
        }
      }
      return !timer.isClosed();
    } finally {
      if (--sleepers == 0) {
        until = AWAKE;
      }
      lock.unlock();
    }
  }

  /** Wakes the drivers if they sleep beyond this time. */
  void wakeBy(long due) {
    if (due < until) {
      wake();
    }
  }

  void wake() {
    lock.lock();
    try {
      wakeUp.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
