package dev.purgatory.timer;

import java.time.Duration;

/**
 * A task that waits in a {@link Timer}. It runs once or is cancelled. After that, neither this
 * object nor the timer refers to the task. Thread-safe.
 */
public interface Timeout {

  /**
   * Moves the deadline, to an earlier or a later time. Moving it to a later time is cheap: the
   * timer looks at it again when the former deadline is reached. Among tasks with the same
   * deadline, a rescheduled one has no particular place.
   *
   * @param delay from now. With zero, the task is due at once
   * @return true if the task still waits, and will run at the new deadline and not before; false if
   *     it has run, is about to run, or was cancelled
   * @throws IllegalArgumentException if the delay is negative
   * @throws IllegalStateException if the timer is closed
   */
  boolean reschedule(Duration delay);

  /**
   * Cancels the task.
   *
   * @return true if this call cancelled it, and it will never run; false if it has run, is about to
   *     run, or was cancelled before
   */
  boolean cancel();

  /**
   * Returns whether the task still waits.
   *
   * @return false once it runs or is cancelled
   */
  boolean isPending();

  /**
   * Returns the time at which the task is or was due, as last rescheduled.
   *
   * @return nanoseconds on the clock of its timer, {@link Timer#now()}; {@link Long#MAX_VALUE} if
   *     the sum of the time and the delay exceeds that
   */
  long deadline();
}
