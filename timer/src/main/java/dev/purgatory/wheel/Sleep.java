package dev.purgatory.wheel;

import dev.purgatory.base.Mutex;
import java.util.concurrent.locks.Condition;

/** Where the threads that drive a timer's clock wait for work. Thread-safe. */
final class Sleep {

  /*
   * A driver writes `until`, reads `nextDue` once more, and sleeps. A scheduler writes that of its
   * stripe, or of the retries, and then reads `until`. Both fields are volatile, so at least one of the two sees the other, and
   * no entry is overslept. Only an entry that is due before all others wakes the clock. With several
   * drivers, `until` holds the latest of their times, or a later one.
   *
   * An entry that ends wakes only a driver that dozes. That one writes `dozing`, and then reads how many
   * entries are left; a thread that ends an entry counts that, and then reads `dozing`. So one of the two
   * sees the other, too. Several ends may see `dozing` before the first of them clears it: then each wakes
   * the driver, which does no harm.
   */

  private static final long AWAKE = Long.MIN_VALUE;

  private final WheelTimer timer;
  private final Mutex lock = new Mutex();
  private final Condition wakeUp = lock.newCondition();

  /** When the drivers wake up; {@link #AWAKE} if none sleeps. */
  volatile long until = AWAKE;

  private volatile boolean dozing;
  private int sleepers;

  Sleep(WheelTimer timer) {
    this.timer = timer;
  }

  /**
   * Waits, without a time limit, until there is work or an entry has ended. Returns at once if
   * nothing is scheduled.
   */
  void doze() throws InterruptedException {
    dozing = true;
    try {
      if (!timer.isEmpty()) {
        await(Long.MAX_VALUE, true);
      }
    } finally {
      dozing = false;
    }
  }

  /**
   * See {@link WheelTimer#awaitDue}.
   *
   * @param dozes whether the end of an entry ends the wait
   */
  boolean await(long nanos, boolean dozes) throws InterruptedException {
    long now = timer.now();
    long end = nanos > Long.MAX_VALUE - now ? Long.MAX_VALUE : now + nanos;
    lock.lock();
    sleepers++;
    try {
      for (long due; (due = timer.nextDue()) > now && timer.isWaiting(); now = timer.now()) {
        if (end <= now || (dozes && !dozing)) {
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

  /** Wakes a driver that dozes: an entry has ended. */
  void onEnd() {
    if (dozing) {
      dozing = false;
      wake();
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
