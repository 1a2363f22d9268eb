package dev.purgatory.threads;

import dev.purgatory.wheel.WheelTimer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Repeats a look for unfinished work until memory is sufficient. Allocates nothing itself.
 * Thread-safe.
 */
public final class Retry {

  /*
   * A step that finds no memory may leave work that no other step comes back to: an entry that has fired
   * and is not in the timer again, an alarm that is not set. Such a step calls `later`. A helper thread then
   * runs the look, which finds and finishes this work, and rests between attempts. `needed` is cleared
   * before a look, so a step that fails during the look sets it again.
   *
   * Nothing here allocates: the task is always the same, and the ring of a lane with one task does not grow.
   *
   * Only the start of a helper thread needs memory. If it fails, the look runs on the calling thread, which
   * may be the clock's. That thread must not rest, and neither must a thread that drives the clock of a
   * test. Both give up after one attempt, and the next `goOn` tries again. Owners call it at each use.
   *
   * `asked` is racy: two looks in a row do no harm. They do not overlap on a timer with a thread.
   */

  private static final long REST_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final WheelTimer timer;
  private final Lane lane;
  private final Runnable look;
  private final Runnable task = this::run;
  private volatile boolean needed;
  private volatile boolean asked;

  /**
   * Creates a retry that nobody needs yet.
   *
   * @param internals the threads
   * @param threadName the name of a helper thread during the look
   * @param look finishes the work, and calls {@link #later} for work that still finds no memory
   */
  public Retry(TimerInternals internals, String threadName, Runnable look) {
    this.timer = internals.wheels();
    this.lane = internals.helpers().lane(threadName, 1);
    this.look = look;
  }

  /** Requests a look. The caller holds no lock. */
  public void later() {
    needed = true;
    goOn();
  }

  /** Continues, if a look is needed and none is running. The caller holds no lock. */
  public void goOn() {
    if (!needed || asked) {
      return;
    }
    asked = true;
    if (!timer.hasThread()) {
      run();
      return;
    }
    try {
      lane.execute(task);
    } catch (Throwable e) {
      asked = false; // the next call tries again
    }
  }

  private void run() {
    try {
      do {
        look();
      } while (needed && rest());
    } finally {
      asked = false;
    }
    if (needed && !timer.isDrivenHere()) {
      goOn(); // requested after the last look
    }
  }

  private void look() {
    needed = false;
    try {
      look.run();
    } catch (Throwable e) {
      needed = true;
    }
  }

  /** Waits before the next attempt. Returns false on a thread that must not wait. */
  private boolean rest() {
    if (timer.isDrivenHere()) {
      return false;
    }
    LockSupport.parkNanos(this, REST_NANOS);
    return true;
  }
}
