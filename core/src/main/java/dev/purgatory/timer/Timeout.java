package dev.purgatory.timer;

/**
 * A task that waits in a {@link Timer}. It runs once or is cancelled. After that, neither this
 * object nor the timer refers to the task.
 */
public interface Timeout {

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
   * Returns the time at which the task is or was due.
   *
   * @return nanoseconds on the clock of its timer, {@link Timer#now()}; {@link Long#MAX_VALUE} if
   *     the sum of the time and the delay exceeds that
   */
  long deadline();
}
