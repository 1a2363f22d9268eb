package dev.purgatory.internal;

import org.jspecify.annotations.Nullable;

/** An entry of the library's own housekeeping, which does not count as scheduled. */
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

  /** Has it do nothing when it is due, and refer to nothing. */
  public void clear() {
    task = null;
  }
}
