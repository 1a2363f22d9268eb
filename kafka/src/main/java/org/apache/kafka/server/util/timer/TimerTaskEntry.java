package org.apache.kafka.server.util.timer;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import dev.purgatory.base.Headroom;
import dev.purgatory.wheel.TimerEntry;
import dev.purgatory.wheel.WheelTimer;
import org.jspecify.annotations.Nullable;

/** The entry of a task in a timer. */
public final class TimerTaskEntry {

  /*
   * An entry that is removed stays in the wheels until it is swept, but Kafka's class refers to its task
   * for good. So these are two objects, and the one in the wheels does not refer to this one any more.
   */

  /** The task. */
  public final TimerTask timerTask;

  /** The time when the task is due, in milliseconds on the clock of the timer. */
  public final long expirationMs;

  // Used by Kafka's own TimerTaskList, which Kafka's tests create.
  volatile @Nullable TimerTaskList list;
  @Nullable TimerTaskEntry next;
  @Nullable TimerTaskEntry prev;

  /** What is in the wheels; null for an entry that is in no {@link SystemTimer}. */
  private final @Nullable Wait wait;

  /**
   * Creates an entry, which replaces any previous entry of the task.
   *
   * @param timerTask the task
   * @param expirationMs the time when the task is due, in milliseconds
   */
  public TimerTaskEntry(TimerTask timerTask, long expirationMs) {
    this(timerTask, expirationMs, null);
  }

  @SuppressWarnings("this-escape") // The task and the wait refer to their entry.
  private TimerTaskEntry(TimerTask timerTask, long expirationMs, @Nullable Wait wait) {
    this.timerTask = timerTask;
    this.expirationMs = expirationMs;
    this.wait = wait;
    if (wait != null) {
      wait.entry = this;
    }
    // The root of a TimerTaskList is an entry without a task.
    if (timerTask != null) {
      timerTask.setTimerTaskEntry(this);
    }
  }

  /**
   * Returns whether the task was cancelled or has another entry now.
   *
   * @return true if the timer must not run the task for this entry
   */
  public boolean cancelled() {
    return timerTask.getTimerTaskEntry() != this;
  }

  /** Removes the entry from its timer, which then refers to neither the entry nor the task. */
  public void remove() {
    if (wait != null) {
      wait.cancel();
    }
    for (TimerTaskList former; (former = list) != null; ) {
      former.remove(this);
    }
  }

  /**
   * Adds a task to the timer.
   *
   * @param now the time on the clock of the wheels, in nanoseconds
   * @param expirationMs the time when the task is due, in milliseconds
   */
  static void add(SystemTimer timer, TimerTask task, long now, long expirationMs) {
    Wait wait = new Wait(timer, WheelTimer.deadline(now, MILLISECONDS.toNanos(task.delayMs)));
    TimerTaskEntry entry = new TimerTaskEntry(task, expirationMs, wait);
    if (task.delayMs <= 0) {
      if (!entry.cancelled()) {
        timer.execute(task); // without waiting for the clock
      }
      return;
    }
    timer.wheels().schedule(wait, now);
    if (entry.cancelled()) {
      wait.cancel(); // the task was cancelled before it was scheduled
    }
  }

  private static final class Wait extends TimerEntry {
    private final SystemTimer timer;

    /** Set before the task refers to the entry. Cleared only by the thread that ended the wait. */
    private @Nullable TimerTaskEntry entry;

    Wait(SystemTimer timer, long deadline) {
      super(deadline);
      this.timer = timer;
    }

    void cancel() {
      Headroom.ensure();
      if (timer.wheels().cancel(this)) {
        entry = null;
      }
    }

    /** Submits the task for execution unless it was cancelled. */
    @Override
    public void onTimeout() {
      TimerTaskEntry due = entry;
      entry = null;
      if (due != null && !due.cancelled()) {
        try {
          timer.execute(due.timerTask);
        } catch (OutOfMemoryError e) {
          timer.runHere(due.timerTask);
        }
      }
    }
  }
}
