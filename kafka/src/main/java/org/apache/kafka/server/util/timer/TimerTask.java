package org.apache.kafka.server.util.timer;

import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/** What a {@link Timer} runs after a delay. */
public abstract class TimerTask implements Runnable {
  private static final AtomicReferenceFieldUpdater<TimerTask, @Nullable TimerTaskEntry> ENTRY =
      AtomicReferenceFieldUpdater.newUpdater(
          TimerTask.class, TimerTaskEntry.class, "timerTaskEntry");

  /** The delay in milliseconds. */
  public final long delayMs;

  private volatile @Nullable TimerTaskEntry timerTaskEntry;

  /**
   * Creates a task.
   *
   * @param delayMs the delay in milliseconds; zero or less to be run at once
   */
  public TimerTask(long delayMs) {
    this.delayMs = delayMs;
  }

  /** Takes the task out of its timer. It will not be run, unless its time was up before. */
  public void cancel() {
    TimerTaskEntry entry = timerTaskEntry == null ? null : ENTRY.getAndSet(this, null);
    if (entry != null) {
      entry.remove();
    }
  }

  /**
   * Tells whether the task was cancelled, or never added to a timer.
   *
   * @return false while it waits, and after it was run
   */
  public boolean isCancelled() {
    return timerTaskEntry == null;
  }

  final void setTimerTaskEntry(TimerTaskEntry entry) {
    TimerTaskEntry before = ENTRY.getAndSet(this, entry);
    if (before != null && before != entry) {
      before.remove();
    }
  }

  @Nullable TimerTaskEntry getTimerTaskEntry() {
    return timerTaskEntry;
  }
}
