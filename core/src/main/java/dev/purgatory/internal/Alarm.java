package dev.purgatory.internal;

import org.jspecify.annotations.Nullable;

/** A timer entry for the library's housekeeping, which is not counted as scheduled. */
public final class Alarm extends TimerEntry {
  private volatile @Nullable Runnable task;

  /**
   * Creates an alarm.
   *
   * @param deadline when it is due, in nanoseconds on the clock of its timer
   * @param task runs on the thread that drives the clock
   */
  public Alarm(long deadline, Runnable task) {
    super(deadline);
    this.task = task;
  }

  @Override
  public void onTimeout() {
    Runnable due = task;
    if (due != null) {
      due.run();
    }
  }

  /** Makes the alarm do nothing when it is due, and releases the task. */
  public void clear() {
    task = null;
  }
}
