package dev.purgatory;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;

/**
 * Lets a purgatory hold objects of a type that cannot extend {@link DelayedOperation}: defines when
 * one can be answered, and how. One adapter serves all operations of a type in a purgatory.
 *
 * <p>For each operation, {@code isReady} is called by one thread at a time, and never during or
 * after {@code onOutcome}.
 *
 * @param <O> the type of the operations
 */
public abstract class OperationAdapter<O> extends Registration.Behaviour<O> {

  /**
   * Creates an adapter.
   *
   * @param purgatory holds the operations
   */
  protected OperationAdapter(Purgatory<?> purgatory) {
    super(requireNonNull(purgatory, "purgatory").core());
  }

  /**
   * Creates the handle of an operation, for {@link Purgatory#hold(Handle, java.util.Collection,
   * Scope...)}.
   *
   * @param operation the operation; the handle releases it at its end
   * @return a new handle
   */
  public final Handle prepare(O operation) {
    return new Registration(this, requireNonNull(operation, "operation"));
  }

  /**
   * Returns how long the operation may be held.
   *
   * @param operation the operation
   * @return nanoseconds; constant for an operation. Zero or less: it times out at once. 146 years
   *     or more: no time limit
   */
  @Override
  protected abstract long timeoutNanos(O operation);

  /**
   * Evaluates the condition: returns whether the operation can be answered now. See {@link
   * DelayedOperation#isReady}.
   *
   * @param operation the operation
   * @return true if it can be answered
   */
  @Override
  protected abstract boolean isReady(O operation);

  /**
   * Evaluates the condition for a signal with a reason: see {@link Purgatory#signal(Object,
   * Object)}. An implementation may return false at once if this reason cannot make the operation
   * ready. Calls {@link #isReady(Object)} by default.
   *
   * @param operation the operation
   * @param reason the reason of the signal
   * @return true if it can be answered
   */
  @Override
  protected boolean isReady(O operation, Object reason) {
    return isReady(operation);
  }

  /**
   * Evaluates the condition for the last time, on a timeout.
   *
   * @param operation the operation
   * @return true if it can be answered
   */
  @Override
  protected boolean isReadyOnTimeout(O operation) {
    return isReady(operation);
  }

  /**
   * Returns the weight of the operation: see {@link Limit.Builder#weight}. Called once for each
   * limit, before the operation is held.
   *
   * @param operation the operation
   * @return 0 or more; 1 by default
   */
  @Override
  protected long weight(O operation) {
    return 1;
  }

  /**
   * Answers the operation. Called exactly once for each operation.
   *
   * @param operation the operation
   * @param outcome how it ended
   * @param cause why it failed; null for other outcomes
   */
  @Override
  protected abstract void onOutcome(O operation, Outcome outcome, @Nullable Throwable cause);
}
