package org.apache.kafka.server.util.timer;

import dev.purgatory.timer.TimerEntry;
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

  /** Takes this out of its timer. */
  public void remove() {
    Timeout current = timeout;
    if (current != null) {
      current.timer.coreTimer().cancel(current);
    }
    for (TimerTaskList former; (former = list) != null; ) {
      former.remove(this);
    }
  }

  void addTo(SystemTimer timer) {
    Timeout added = new Timeout(timer);
    timeout = added;
    timer.coreTimer().schedule(added, timerTask.delayMs, TimeUnit.MILLISECONDS);
    if (cancelled()) {
      remove(); // cancelled before it was in
    }
  }

  /** What the core's timer holds. */
  private final class Timeout extends TimerEntry {
    private final SystemTimer timer;

    Timeout(SystemTimer timer) {
      this.timer = timer;
    }

    @Override
    protected void onTimeout() {
      if (!cancelled()) {
        timer.execute(timerTask);
      }
    }
  }
}
