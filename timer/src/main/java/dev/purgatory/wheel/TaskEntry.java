package dev.purgatory.wheel;

import org.jspecify.annotations.Nullable;

/** A timer entry that runs a task of the library. */
public class TaskEntry extends TimerEntry {
  private volatile @Nullable Runnable task;

  /**
   * Creates an entry.
   *
   * @param deadline when it is due, in nanoseconds on the clock of its timer
   * @param task runs on the thread that drives the clock
   */
  public TaskEntry(long deadline, Runnable task) {
    super(deadline);
    this.task = task;
  }

  @Override
  public final void onTimeout() {
    Runnable due = task;
    if (due != null) {
      due.run();
    }
  }

  /** An entry for the library's housekeeping, which is not counted as scheduled. */
  public static final class Alarm extends TaskEntry {

    /**
     * Creates an alarm.
     *
     * @param deadline when it is due, in nanoseconds on the clock of its timer
     * @param task runs on the thread that drives the clock
     */
    public Alarm(long deadline, Runnable task) {
      super(deadline, task);
    }
  }

  /** Makes the entry do nothing when it is due, and releases the task. */
  public final void clear() {
    task = null;
  }
}
