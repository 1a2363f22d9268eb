package org.apache.kafka.server.util.timer;

import dev.purgatory.timer.Timeout;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The place of a task in a timer. */
public final class TimerTaskEntry {

  /** The task. */
  public final TimerTask timerTask;

  /** When it is due, in milliseconds on the clock of the timer that made this. */
  public final long expirationMs;

  // For the lists of Kafka's own wheel, if a test makes one.
  volatile @Nullable TimerTaskList list;
  @Nullable TimerTaskEntry next;
  @Nullable TimerTaskEntry prev;

  private volatile @Nullable Timeout timeout;

  /**
   * Creates an entry, which takes the place of the task's former one.
   *
   * @param timerTask the task
   * @param expirationMs when it is due
   */
  @SuppressWarnings("this-escape") // The task has to know its entry.
  public TimerTaskEntry(TimerTask timerTask, long expirationMs) {
    this.timerTask = timerTask;
    this.expirationMs = expirationMs;
    // Kafka's lists begin with an entry without a task.
    if (timerTask != null) {
      timerTask.setTimerTaskEntry(this);
    }
  }

  /**
   * Tells whether the task was cancelled, or has another entry now.
   *
   * @return whether this must not be run
   */
  public boolean cancelled() {
    return timerTask.getTimerTaskEntry() != this;
  }

  /** Takes this out of its timer, which then refers to neither this nor the task. */
  public void remove() {
    Timeout current = timeout;
    if (current != null) {
      current.cancel();
    }
    for (TimerTaskList former; (former = list) != null; ) {
      former.remove(this);
    }
  }

  /** Has the timer run the task after its delay. */
  void addTo(SystemTimer timer) {
    timeout =
        timer.coreTimer().schedule(() -> runOn(timer), timerTask.delayMs, TimeUnit.MILLISECONDS);
    if (cancelled()) {
      remove(); // The task was cancelled before it was in the timer.
    }
  }

  /** Hands the task over to be run, unless it was cancelled. */
  void runOn(SystemTimer timer) {
    if (!cancelled()) {
      timer.execute(timerTask);
    }
  }
}
