package dev.purgatory;

import dev.purgatory.internal.LastResort;
import org.jspecify.annotations.Nullable;

/**
 * Is told what happens in a purgatory: the hook for metrics and logs. An operation is given as what
 * it is to the user: a {@link DelayedOperation}, a {@link HeldFuture}, or an object of the type of
 * an {@link OperationAdapter}.
 *
 * <p>The methods are called inline, on the threads that do the work, possibly concurrently: keep
 * them fast. What they throw changes nothing; it goes to {@link #onError}, and is logged if that
 * throws.
 */
public interface PurgatoryListener {

  /** Where an error came from. */
  enum Source {
    /** A condition threw after its operation had ended, or an adapter went on in spite of it. */
    CONDITION,
    /** The answer of an operation threw. */
    ANSWER,
    /** An executor rejected a task, or threw. The answer was given elsewhere. */
    EXECUTOR,
    /** A listener threw. */
    LISTENER
  }

  /**
   * An operation was answered at once, without being held.
   *
   * @param operation the operation
   */
  default void onAnsweredAtOnce(Object operation) {}

  /**
   * An operation could not be answered when it came, and is held.
   *
   * @param operation the operation
   */
  default void onHeld(Object operation) {}

  /**
   * A held operation has ended, and is about to be answered.
   *
   * @param operation the operation
   * @param outcome how it ended
   * @param cause why it failed; null for other outcomes
   * @param heldNanos the time since it was held, 0 or more
   * @param lateNanos the time since its deadline; negative if it ended before that
   */
  default void onEnded(
      Object operation,
      Outcome outcome,
      @Nullable Throwable cause,
      long heldNanos,
      long lateNanos) {}

  /**
   * An operation was refused.
   *
   * @param operation the operation
   * @param reason what whoever waits is told
   */
  default void onRefused(Object operation, RuntimeException reason) {}

  /**
   * The user's code threw. This has harmed no other operation. By default it is logged, at most ten
   * times a second. A condition that fails its operation is an outcome, and not told here.
   *
   * @param operation the operation that the code ran for
   * @param source which code threw
   * @param error what was thrown
   */
  default void onError(Object operation, Source source, Throwable error) {
    LastResort.log("For " + operation + ", this failed: " + source, error);
  }
}
