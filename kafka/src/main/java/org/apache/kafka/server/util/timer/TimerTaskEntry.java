package org.apache.kafka.server.util.timer;

import dev.purgatory.timer.Timeout;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The entry of a task in a timer. */
public final class TimerTaskEntry {

  /** The task. */
  public final TimerTask timerTask;

  /** The time when the task is due, in milliseconds on the clock of the timer. */
  public final long expirationMs;

  // Used by Kafka's own TimerTaskList, which Kafka's tests create.
  volatile @Nullable TimerTaskList list;
  @Nullable TimerTaskEntry next;
  @Nullable TimerTaskEntry prev;

  private volatile @Nullable Timeout timeout;

  /**
   * Creates an entry, which replaces any previous entry of the task.
   *
   * @param timerTask the task
   * @param expirationMs the time when the task is due, in milliseconds
   */
  @SuppressWarnings("this-escape") // The task refers to its entry.
  public TimerTaskEntry(TimerTask timerTask, long expirationMs) {
    this.timerTask = timerTask;
    this.expirationMs = expirationMs;
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
    Timeout current = timeout;
    if (current != null) {
      current.cancel();
    }
    for (TimerTaskList former; (former = list) != null; ) {
      former.remove(this);
    }
  }

  /** Schedules the task on the timer. */
  void addTo(SystemTimer timer) {
    timeout =
        timer.coreTimer().schedule(() -> runOn(timer), timerTask.delayMs, TimeUnit.MILLISECONDS);
    if (cancelled()) {
      remove(); // The task was cancelled before it was scheduled.
    }
  }

  /** Submits the task for execution unless it was cancelled. */
  void runOn(SystemTimer timer) {
    if (!cancelled()) {
      timer.execute(timerTask);
    }
  }
}
