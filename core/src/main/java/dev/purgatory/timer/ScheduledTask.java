package dev.purgatory.timer;

import dev.purgatory.internal.TimerEntry;
import org.jspecify.annotations.Nullable;

/** The {@link Timeout} of a user's task. Releases the task when the wait ends. Thread-safe. */
final class ScheduledTask extends TimerEntry implements Timeout {
  private final Timer timer;

  /** Cleared only by the thread that ended the wait. */
  private @Nullable Runnable task;

  ScheduledTask(Timer timer, Runnable task, long deadline) {
    super(deadline);
    this.timer = timer;
    this.task = task;
  }

  @Override
  public boolean cancel() {
    boolean cancelled = timer.cancel(this);
    if (cancelled) {
      task = null;
    }
    return cancelled;
  }

  @Override
  public boolean isPending() {
    return isScheduled();
  }

  @Override
  public void onTimeout() {
    Runnable due = task;
    task = null;
    if (due != null) {
      due.run();
    }
  }

  @Override
  public String toString() {
    return (isPending() ? "pending" : "ended") + " timeout, deadline " + deadline() + " ns";
  }
}
