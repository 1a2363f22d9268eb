package dev.purgatory;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request that a purgatory holds, at the moment when {@link Inspection#held} saw it.
 *
 * @param operation the {@link HeldFuture} or the {@link DelayedOperation}
 * @param keys the keys on which it is held, in no order; empty if it waits only for a threshold or
 *     a stage
 * @param scopes its owners, in no order
 * @param tag the {@link Hold.Untimed#tag}; null if it has none
 * @param heldFor how long it has been held
 * @param timeLeft the time until it times out, negative if it is overdue; null without a time limit
 * @param <K> the type of the keys
 */
public record HeldRequest<K>(
    Object operation,
    List<K> keys,
    List<Scope> scopes,
    @Nullable Object tag,
    Duration heldFor,
    @Nullable Duration timeLeft) {

  /**
   * Cancels the request.
   *
   * @return true if this call ended the request; false if it had ended before
   */
  public boolean cancel() {
    return requireNonNull(registration(operation)).endForUser(Outcome.CANCELLED, null);
  }

  /**
   * Fails the request.
   *
   * @param cause the exception for its future
   * @return true if this call ended the request; false if it had ended before
   */
  public boolean fail(Throwable cause) {
    requireNonNull(cause, "cause");
    return requireNonNull(registration(operation)).endForUser(Outcome.FAILED, cause);
  }

  /** Returns the registration of an operation; null for other objects. */
  static @Nullable Registration registration(Object operation) {
    if (operation instanceof HeldFuture<?> future) {
      return future.registration();
    }
    return operation instanceof DelayedOperation delayed ? delayed.registration() : null;
  }
}
