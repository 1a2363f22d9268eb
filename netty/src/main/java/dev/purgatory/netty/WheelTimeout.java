package dev.purgatory.netty;

import io.netty.util.Timeout;
import io.netty.util.Timer;
import io.netty.util.TimerTask;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/** A timeout of a {@link WheelTimer}. Thread-safe. */
final class WheelTimeout implements Timeout, Runnable {

  /*
   * PENDING becomes CANCELLED or EXPIRED, once. EXPIRED becomes RUN, so that an executor that runs a task
   * and then throws does not run it twice.
   *
   * `scheduled` is set after the wait has begun, and a cancelling thread may miss it. So both sides write
   * first and then read: newTimeout() sets `scheduled` and reads the state, and cancel() sets the state
   * and reads `scheduled`. At least one of them removes the entry from the wheels.
   */

  private static final int PENDING = 0;
  private static final int CANCELLED = 1;
  private static final int EXPIRED = 2;
  private static final int RUN = 3;

  private static final AtomicIntegerFieldUpdater<WheelTimeout> STATE =
      AtomicIntegerFieldUpdater.newUpdater(WheelTimeout.class, "state");

  private final WheelTimer timer;
  private final TimerTask task;
  private final PendingTimeouts.Links list;
  private volatile int state;
  private volatile dev.purgatory.timer.@Nullable Timeout scheduled;

  /** The neighbours in the list. Only with the lock of the list. */
  @Nullable WheelTimeout previous;

  @Nullable WheelTimeout next;

  WheelTimeout(WheelTimer timer, TimerTask task, PendingTimeouts.Links list) {
    this.timer = timer;
    this.task = task;
    this.list = list;
  }

  /** Returns false if the timer is stopped. */
  boolean link() {
    return list.add(this);
  }

  /** Completes the beginning of the wait. */
  void scheduled(dev.purgatory.timer.Timeout entry) {
    scheduled = entry;
    if (state == CANCELLED) {
      entry.cancel();
    }
  }

  /** Undoes {@link #link}. Returns false if the timeout was cancelled meanwhile. */
  boolean abandon() {
    return leave(CANCELLED);
  }

  /** Ends the wait. Returns true for the caller that ended it. */
  private boolean leave(int next) {
    if (!STATE.compareAndSet(this, PENDING, next)) {
      return false;
    }
    list.remove(this);
    timer.release();
    return true;
  }

  /** Expires, on the thread of the clock. */
  @Override
  public void run() {
    if (leave(EXPIRED)) {
      timer.execute(this);
    }
  }

  void runTask() {
    if (!STATE.compareAndSet(this, EXPIRED, RUN)) {
      return;
    }
    try {
      task.run(this);
    } catch (Throwable e) {
      WheelTimer.log("A task threw: " + task.getClass().getName(), e);
    }
  }

  @Override
  public boolean cancel() {
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
    if (!leave(CANCELLED)) {
      return false;
    }
    dev.purgatory.timer.Timeout entry = scheduled;
    if (entry != null) {
      entry.cancel();
    }
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
    return state >= EXPIRED;
  }

  @Override
  public boolean isCancelled() {
    return state == CANCELLED;
  }

  @Override
  public String toString() {
    int now = state;
    String name = now == PENDING ? "pending" : now == CANCELLED ? "cancelled" : "expired";
    return "WheelTimeout[" + name + ", " + task.getClass().getName() + ']';
  }
}
