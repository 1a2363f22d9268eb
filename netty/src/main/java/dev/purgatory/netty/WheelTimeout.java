package dev.purgatory.netty;

import dev.purgatory.base.Headroom;
import dev.purgatory.wheel.TimerEntry;
import io.netty.util.Timeout;
import io.netty.util.Timer;
import io.netty.util.TimerTask;
import org.jspecify.annotations.Nullable;

/** A timeout of a {@link WheelTimer}. Thread-safe. */
final class WheelTimeout implements Timeout, Runnable {

  /*
   * The entry in the wheels has the state, so one compare-and-set ends the timeout and its wait. An entry
   * that was cancelled stays in the wheels until it is swept, but users keep the timeout, whose task they
   * may ask for at any time. So these are two objects, and an entry that has ended does not refer to the
   * timeout.
   */

  /** An entry in the wheels. */
  static final class Wait extends TimerEntry {

    /** The wait has ended, and the task will not run. */
    private static final int CANCELLED = 1 << BITS;

    /** An executor has run the task. If it then throws, the clock does not run the task again. */
    private static final int RUN = 2 << BITS;

    /** Cleared only by the thread that ended the wait. Others read it racily, perhaps too late. */
    @Nullable WheelTimeout timeout;

    Wait(WheelTimeout timeout, long deadline) {
      super(deadline);
      this.timeout = timeout;
    }

    boolean cancel() {
      for (int now; ((now = state()) & SCHEDULED) != 0; ) {
        if (casState(now, (now & ~SCHEDULED) | CANCELLED)) {
          timeout = null;
          return true;
        }
      }
      return false;
    }

    /** Returns whether the wait never began, or its beginning failed. */
    boolean isNew() {
      return state() == 0;
    }

    boolean isCancelled() {
      return (state() & CANCELLED) != 0;
    }

    boolean isExpired() {
      return (state() & (SCHEDULED | CANCELLED)) == 0;
    }

    boolean beginRun() {
      return (setBits(RUN) & RUN) == 0;
    }

    @Override
    public void onTimeout() {
      WheelTimeout due = timeout;
      timeout = null;
      if (due != null) {
        due.timer.expire(due);
      }
    }
  }

  final Wait wait;
  private final WheelTimer timer;
  private final TimerTask task;

  WheelTimeout(WheelTimer timer, TimerTask task, long deadline) {
    this.timer = timer;
    this.task = task;
    this.wait = new Wait(this, deadline);
  }

  /** Runs the task, unless this method has run it before. */
  @Override
  public void run() {
    if (wait.beginRun()) {
      try {
        task.run(this);
      } catch (Throwable e) {
        WheelTimer.log("A task threw: " + task.getClass().getName(), e);
      }
    }
  }

  @Override
  public boolean cancel() {
    Headroom.ensure();
    if (!cancelQuietly()) {
      return false;
    }
    try {
      task.cancelled(this);
    } catch (Throwable e) {
      WheelTimer.log("A task threw while it was cancelled: " + task.getClass().getName(), e);
    }
    return true;
  }

  /** Cancels without telling the task. */
  boolean cancelQuietly() {
    if (!wait.cancel()) {
      return false;
    }
    timer.cancelled(wait);
    return true;
  }

  @Override
  public Timer timer() {
    return timer;
  }

  @Override
  public TimerTask task() {
    return task;
  }

  @Override
  public boolean isExpired() {
    return wait.isExpired();
  }

  @Override
  public boolean isCancelled() {
    return wait.isCancelled();
  }

  @Override
  public String toString() {
    String name = isCancelled() ? "cancelled" : isExpired() ? "expired" : "pending";
    return "WheelTimeout[" + name + ", " + task.getClass().getName() + ']';
  }
}
