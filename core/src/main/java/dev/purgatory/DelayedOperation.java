package dev.purgatory;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A request that cannot be answered yet, to be held by a {@link Purgatory}: the form for hot paths,
 * which costs one object. Subclasses say when it can be answered, and how. Elsewhere {@link
 * Purgatory#until} is shorter.
 *
 * <p>It ends once, with one {@link Outcome}, and {@link #onOutcome} is called once for it.
 *
 * <p>{@code isReady} is called by one thread at a time, and never together with or after {@code
 * onOutcome}. What was done before the operation was handed to the purgatory happens-before all its
 * callbacks; what was done before a signal happens-before the evaluation that answers it.
 */
public abstract class DelayedOperation {
  private static final OperationAdapter<DelayedOperation> UNBOUND = new Adapter();

  private final long timeoutNanos;
  private final Registration registration;

  /**
   * Creates an operation.
   *
   * @param timeout how long it may be held. Zero or less: it times out at once. 146 years or more:
   *     no limit
   */
  protected DelayedOperation(Duration timeout) {
    this(TimeUnit.NANOSECONDS.convert(timeout), TimeUnit.NANOSECONDS);
  }

  /**
   * Creates an operation.
   *
   * @param timeout how long it may be held, any value. Zero or less: it times out at once. 146
   *     years or more: no limit
   * @param unit of the timeout
   */
  @SuppressWarnings("this-escape") // Nothing is called on it before it is handed in.
  protected DelayedOperation(long timeout, TimeUnit unit) {
    timeoutNanos = unit.toNanos(timeout);
    registration = new Registration(UNBOUND, this);
  }

  /**
   * The condition: tells whether the operation can be answered now. It runs on threads that signal
   * a key, and may be called at any time until the operation has ended. If it throws, the operation
   * fails with that.
   *
   * <p>It only looks: answering is for {@link #onOutcome}. It must not signal a key of its own
   * operation, or it is evaluated again without end. It should be quick: an outcome that is due
   * meanwhile, also a timeout, waits until it returns. Other operations do not wait.
   *
   * @return true if it can be answered
   */
  protected abstract boolean isReady();

  /**
   * Evaluates the condition for the last time, when time is up: if it is true, the operation
   * completes and does not time out. Calls {@link #isReady}. Return false where that last look is
   * not worth its cost.
   *
   * @return true if it can be answered
   */
  protected boolean isReadyOnTimeout() {
    return isReady();
  }

  /**
   * Answers. Called exactly once, whatever ended the operation, on the thread that ended it or an
   * executor of the purgatory's.
   *
   * @param outcome how it ended
   * @param cause why it failed; null for other outcomes
   */
  protected abstract void onOutcome(Outcome outcome, @Nullable Throwable cause);

  /**
   * Completes the operation, whatever {@link #isReady} says. If that is being evaluated, {@link
   * #onOutcome} runs when it has returned, on the evaluating thread or on this one. Called from
   * within {@code isReady}, it counts for the signal that evaluates it.
   *
   * @return true if this call ended the operation; false if it had ended before
   */
  public final boolean complete() {
    return registration.complete();
  }

  /**
   * Cancels the operation. Before it is handed in, that works too: it is then not held.
   *
   * @return true if this call ended the operation, and its outcome is {@link Outcome#CANCELLED};
   *     false if it had ended before
   */
  public final boolean cancel() {
    return registration.cancel();
  }

  /**
   * Fails the operation.
   *
   * @param cause handed to {@link #onOutcome}
   * @return true if this call ended the operation; false if it had ended before
   */
  public final boolean fail(Throwable cause) {
    return registration.fail(cause);
  }

  /**
   * Returns how the operation ended.
   *
   * @return null while it has not ended. A timeout is decided when the time is up and the executor
   *     for that is free
   */
  public final @Nullable Outcome outcome() {
    return registration.outcome();
  }

  /**
   * Removes the time limit: from now on the operation is held until something else ends it.
   *
   * @return true if this call removed it; false if there is none, time is up, or the operation is
   *     not held
   */
  protected final boolean cancelTimeout() {
    return registration.cancelTimeout();
  }

  final Registration registration() {
    return registration;
  }

  /** Describes the operation for logs: its class, its state and when it is due. */
  @Override
  public String toString() {
    return getClass().getSimpleName() + '[' + registration.describe() + ']';
  }

  /** How a purgatory deals with these. */
  static final class Adapter extends OperationAdapter<DelayedOperation> {
    private Adapter() {}

    Adapter(Purgatory<?> purgatory) {
      super(requireNonNull(purgatory));
    }

    @Override
    protected long timeoutNanos(DelayedOperation operation) {
      return operation.timeoutNanos;
    }

    @Override
    protected boolean isReady(DelayedOperation operation) {
      return operation.isReady();
    }

    @Override
    protected boolean isReadyOnTimeout(DelayedOperation operation) {
      return operation.isReadyOnTimeout();
    }

    @Override
    protected void onOutcome(
        DelayedOperation operation, Outcome outcome, @Nullable Throwable cause) {
      operation.onOutcome(outcome, cause);
    }
  }
}
