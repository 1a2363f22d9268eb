package dev.purgatory;

import dev.purgatory.internal.LastResort;

/**
 * Is told what happens in a purgatory: the hook for metrics and logs.
 *
 * <p>The methods are called on the threads that do the work, which they hold up, possibly many at
 * once. What they throw changes nothing; it goes to {@link #onError}, and is logged if that throws.
 *
 * @param <O> the type of the operations
 */
public interface PurgatoryListener<O extends DelayedOperation> {

  /**
   * An operation could not be answered when it came, and is held.
   *
   * @param operation the operation
   */
  default void onHeld(O operation) {}

  /**
   * A held operation is about to be answered because of an event, or because it was forced.
   *
   * @param operation the operation
   * @param heldNanos the time since it was held
   */
  default void onCompleted(O operation, long heldNanos) {}

  /**
   * A held operation is about to be answered because its time is up.
   *
   * @param operation the operation
   * @param heldNanos the time since it was held
   * @param lateNanos the time since it should have been answered; negative where {@link
   *     Purgatory#close} cut its time short
   */
  default void onExpired(O operation, long heldNanos, long lateNanos) {}

  /**
   * A held operation was cancelled.
   *
   * @param operation the operation
   * @param heldNanos the time since it was held
   */
  default void onCancelled(O operation, long heldNanos) {}

  /**
   * Code from outside failed: a callback of an operation, an executor, or another method of this.
   * It has harmed nothing but itself. By default it is logged, at most ten times a second.
   *
   * @param operation the operation that it was for
   * @param error what was thrown
   */
  default void onError(O operation, Throwable error) {
    LastResort.log("A callback of " + operation + " failed", error);
  }
}
