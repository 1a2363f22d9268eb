package dev.purgatory;

import dev.purgatory.base.ForeignText;
import dev.purgatory.base.LastResort;
import org.jspecify.annotations.Nullable;

/**
 * Receives the events of a purgatory, for metrics and logs. Each operation is passed as the user
 * knows it: a {@link DelayedOperation} or a {@link HeldFuture}.
 *
 * <p>The methods run inline and concurrently: keep them fast. Their exceptions have no effect on
 * the purgatory; they are passed to {@link #onError}, and logged if that throws, too.
 */
public interface PurgatoryListener {

  /** The code that threw. */
  enum Source {
    /** A condition threw although its operation had already ended. */
    CONDITION,
    /** The answer of an operation. */
    ANSWER,
    /** An executor that rejected a task or threw. Another thread gave the answer. */
    EXECUTOR,
    /** A listener. */
    LISTENER
  }

  /**
   * Called when an operation has ended without being held, before it is answered: its first
   * evaluation completed it or threw, or it ended in between. Not called if the purgatory refused
   * it.
   *
   * @param operation the operation
   * @param outcome how it ended
   * @param cause why it failed; null for other outcomes
   */
  default void onAnsweredAtOnce(Object operation, Outcome outcome, @Nullable Throwable cause) {}

  /**
   * Called when an operation begins to be held.
   *
   * @param operation the operation
   */
  default void onHeld(Object operation) {}

  /**
   * Called when a held operation has ended, before it is answered.
   *
   * @param operation the operation
   * @param outcome how it ended
   * @param cause why it failed; null for other outcomes
   * @param heldNanos how long it was held, in nanoseconds, 0 or more
   * @param lateNanos the time since its deadline, in nanoseconds; negative before the deadline
   */
  default void onEnded(
      Object operation,
      Outcome outcome,
      @Nullable Throwable cause,
      long heldNanos,
      long lateNanos) {}

  /**
   * Called when a signal has returned. A signal that is passed on to a helper thread counts twice.
   *
   * @param key its key
   * @param foundKey whether the purgatory knew the key: requests waited on it, or had just ended
   * @param completed how many requests the signal completed
   */
  default void onSignalled(Object key, boolean foundKey, int completed) {}

  /**
   * Called when the purgatory refused an operation.
   *
   * @param operation the operation
   * @param reason the exception that the caller gets
   */
  default void onRefused(Object operation, RuntimeException reason) {}

  /**
   * Called when the user's code threw. No other operation is affected. By default the error is
   * logged, at most ten times per second. A condition that fails its operation is an outcome and is
   * not reported here.
   *
   * @param operation the operation for which the code ran, or the key of the signal
   * @param source the code that threw
   * @param error the exception
   */
  default void onError(Object operation, Source source, Throwable error) {
    LastResort.handler(source + " threw for " + ForeignText.of(operation, 1_000)).accept(error);
  }
}
