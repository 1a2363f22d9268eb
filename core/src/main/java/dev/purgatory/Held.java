package dev.purgatory;

import org.jspecify.annotations.Nullable;

/**
 * The handle of an operation of the user's own, made by {@link OperationAdapter#prepare}.
 * Thread-safe.
 */
public sealed interface Held permits Registration {

  /**
   * Completes the operation, whatever its condition says. If the condition is being evaluated, the
   * operation is answered when that has returned, by the evaluating thread or by this one. Called
   * from within the condition, it counts for the check that evaluates it.
   *
   * @return true if this call ended the operation; false if it had ended before
   */
  boolean complete();

  /**
   * Cancels the operation.
   *
   * @return true if this call ended the operation; false if it had ended before
   */
  boolean cancel();

  /**
   * Fails the operation.
   *
   * @param cause what whoever waits is told
   * @return true if this call ended the operation; false if it had ended before
   */
  boolean fail(Throwable cause);

  /**
   * Removes the time limit: from now on the operation is held until something else ends it.
   *
   * @return true if this call removed it; false if there is none, time is up, or the operation is
   *     not held
   */
  boolean cancelTimeout();

  /**
   * Returns how the operation ended.
   *
   * @return null while it has not ended
   */
  @Nullable Outcome outcome();
}
