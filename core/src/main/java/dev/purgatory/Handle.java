package dev.purgatory;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The handle of an operation of the user's own type, created by {@link OperationAdapter#prepare}.
 * Thread-safe.
 */
public sealed interface Handle permits Registration {

  /**
   * Completes the operation, regardless of its condition. If the condition is being evaluated, the
   * operation is answered after it has returned, by the evaluating thread or by this one. If called
   * from within the condition, the completion counts for the signal that evaluates it.
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
   * @param cause passed to {@link OperationAdapter#onOutcome}
   * @return true if this call ended the operation; false if it had ended before
   */
  boolean fail(Throwable cause);

  /**
   * Removes the time limit: the operation stays held until something else ends it.
   *
   * @return true if this call removed the time limit; false if there is none, it is over, or the
   *     operation is not held, or still being added
   */
  boolean cancelTimeout();

  /**
   * Moves the end of the time limit, in either direction. Moving it to a later time is cheap: one
   * write, however often.
   *
   * @param timeout the new time limit, from now. Zero: it times out at once
   * @return true if the operation now times out then, unless it ends before; false if the time
   *     limit was reached or removed, or the operation is not held, or still being added
   * @throws IllegalArgumentException if the timeout is negative
   */
  boolean reschedule(Duration timeout);

  /**
   * Returns how the operation ended.
   *
   * @return the outcome; null before the end
   */
  @Nullable Outcome outcome();
}
