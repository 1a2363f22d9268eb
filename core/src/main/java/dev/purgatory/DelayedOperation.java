package dev.purgatory;

import static java.util.Objects.requireNonNull;

import dev.purgatory.base.ForeignCode;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A request that a {@link Purgatory} can hold, for hot paths: it costs one object less than a
 * future. Subclasses define when it can be answered, and how. Elsewhere {@link Purgatory#until} is
 * shorter.
 *
 * <p>It ends once, with one {@link Outcome}, and {@link #onOutcome} is then called once.
 *
 * <p>{@code isReady} is called by one thread at a time, and never during or after {@code
 * onOutcome}. Actions before the operation is handed to the purgatory happen-before all its
 * callbacks. Actions before a signal happen-before the evaluation that the signal causes.
 */
public abstract class DelayedOperation {
  private static final Adapter UNBOUND = new Adapter(null);

  private final long timeoutNanos;
  private final Registration registration;

  /**
   * Creates an operation.
   *
   * @param timeout how long it may be held. Zero: it times out at once. 146 years or more: no time
   *     limit
   * @throws IllegalArgumentException if the timeout is negative
   */
  @SuppressWarnings("this-escape") // no callback runs before hold()
  protected DelayedOperation(Duration timeout) {
    timeoutNanos = Registration.nanos(timeout);
    registration = new Registration(UNBOUND, this);
  }

  /**
   * Evaluates the condition: returns whether the operation can be answered now. It runs on threads
   * that signal a key, and may be called at any time until the operation has ended. If it throws,
   * the operation fails with that exception.
   *
   * <p>It must not answer, which is the task of {@link #onOutcome}, and must not signal a key of
   * its own operation, or it would be evaluated again and again. It should be fast: an outcome that
   * is due, including a timeout, waits until it returns. Other operations do not wait.
   *
   * <p>It may return true although something else has ended the operation. So if it takes
   * something, let {@link #onOutcome}, which runs afterwards, give that back unless the outcome is
   * {@link Outcome#COMPLETED}.
   *
   * @return true if it can be answered
   */
  protected abstract boolean isReady();

  /**
   * Evaluates the condition for a signal with a reason: see {@link Purgatory#signal(Object,
   * Object)}. An implementation may return false at once if this reason cannot make the operation
   * ready. Calls {@link #isReady()} by default.
   *
   * @param reason the reason of the signal
   * @return true if it can be answered
   */
  protected boolean isReady(Object reason) {
    return isReady();
  }

  /**
   * Evaluates the condition for the last time, on a timeout: if it holds, the operation completes
   * and does not time out. Calls {@link #isReady}. Return false if that is too expensive.
   *
   * @return true if it can be answered
   */
  protected boolean isReadyOnTimeout() {
    return isReady();
  }

  /**
   * Returns the weight of the operation: see {@link Limit.Builder#weight}. Called once if there are
   * limits, before the operation is held.
   *
   * @return 0 or more; 1 by default
   */
  protected long weight() {
    return 1;
  }

  /**
   * Answers the request. Called exactly once, whatever ended the operation, on the thread that
   * ended it or on an executor of the purgatory.
   *
   * @param outcome how it ended
   * @param cause why it failed; null for other outcomes
   */
  protected abstract void onOutcome(Outcome outcome, @Nullable Throwable cause);

  /**
   * Completes the operation, regardless of {@link #isReady}. If that is being evaluated, {@link
   * #onOutcome} runs after it has returned, on the evaluating thread or on this one. If called from
   * within {@code isReady}, the completion counts for the signal that evaluates it.
   *
   * @return true if this call ended the operation; false if it had ended before
   */
  public final boolean complete() {
    return registration.endForUser(Outcome.COMPLETED, null);
  }

  /**
   * Cancels the operation. An operation that is cancelled before it is handed in is not held.
   *
   * @return true if this call ended the operation, and its outcome is {@link Outcome#CANCELLED};
   *     false if it had ended before
   */
  public final boolean cancel() {
    return registration.endForUser(Outcome.CANCELLED, null);
  }

  /**
   * Fails the operation.
   *
   * @param cause passed to {@link #onOutcome}
   * @return true if this call ended the operation; false if it had ended before
   */
  public final boolean fail(Throwable cause) {
    return registration.endForUser(Outcome.FAILED, requireNonNull(cause, "cause"));
  }

  /**
   * Returns how the operation ended.
   *
   * @return the outcome; null before the end. A timeout is decided once the executor for
   *     expirations runs it
   */
  public final @Nullable Outcome outcome() {
    return registration.outcome();
  }

  /**
   * Moves the end of the time limit, in either direction. Moving it to a later time is cheap: one
   * write, however often.
   *
   * @param timeout the new time limit, from now. Zero: it times out at once
   * @return true if the operation now times out then, unless it ends before; false if the time
   *     limit was reached, or the operation is not held, or still being added
   * @throws IllegalArgumentException if the timeout is negative
   */
  public final boolean reschedule(Duration timeout) {
    return registration.reschedule(timeout);
  }

  final Registration registration() {
    return registration;
  }

  /** Describes the operation for logs: its class, its state and its deadline. */
  @Override
  public String toString() {
    return getClass().getSimpleName() + '[' + registration.describe() + ']';
  }

  /** Lets a purgatory hold these operations. */
  static final class Adapter extends Registration.Behaviour<DelayedOperation> {
    Adapter(@Nullable Core<?> core) {
      super(core);
    }

    @Override
    protected long timeoutNanos(DelayedOperation operation) {
      return operation.timeoutNanos;
    }

    @Override
    protected long weight(DelayedOperation operation) {
      return operation.weight();
    }

    @Override
    boolean evaluate(DelayedOperation operation, @Nullable Object reason) {
      if (reason == null) {
        return operation.isReady();
      }
      return reason == Registration.TIMEOUT
          ? operation.isReadyOnTimeout()
          : operation.isReady(reason);
    }

    @Override
    void answer(DelayedOperation operation, Outcome outcome, @Nullable Throwable cause) {
      boolean interrupted = ForeignCode.enter();
      try {
        operation.onOutcome(outcome, outcome == Outcome.FAILED ? cause : null);
      } finally {
        ForeignCode.leave(interrupted);
      }
    }
  }
}
