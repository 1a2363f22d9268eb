package org.apache.kafka.server.util.timer;

import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/** A task that a {@link Timer} runs after a delay. */
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
   * @param delayMs the delay in milliseconds; zero or less to run immediately
   */
  public TimerTask(long delayMs) {
    this.delayMs = delayMs;
  }

  /** Removes the task from its timer. The task does not run unless it was already due. */
  public void cancel() {
    TimerTaskEntry entry = timerTaskEntry == null ? null : ENTRY.getAndSet(this, null);
    if (entry != null) {
      entry.remove();
    }
  }

  /**
   * Returns whether the task was cancelled or was never added to a timer.
   *
   * @return false while the task is waiting and after it ran
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
