package org.apache.kafka.server.purgatory;

import dev.purgatory.watch.Waiter;
import org.jspecify.annotations.Nullable;

/**
 * Stands for an operation on the watch lists and in the wheels, which refer to nothing else of it.
 * Cleared when the operation completes: so it is released everywhere in one step.
 */
class HeldOperation extends Waiter implements Runnable {

  /** The timeout was cancelled. */
  private static final int CANCELLED = 1 << BITS;

  private final DelayedOperationPurgatory<?> home;

  private HeldOperation(
      DelayedOperation operation, DelayedOperationPurgatory<?> home, long deadline) {
    super(operation);
    this.home = home;
    deadline(deadline);
  }

  /** Creates what stands for an operation, which may be held already. */
  static HeldOperation of(
      DelayedOperation operation, DelayedOperationPurgatory<?> home, long deadline) {
    HeldOperation former = operation.held();
    return former == null
        ? new HeldOperation(operation, home, deadline)
        : new Again(operation, home, deadline, former);
  }

  /** An operation that was added once more: rare, so only this refers to the former addition. */
  private static final class Again extends HeldOperation {
    private final HeldOperation former;

    Again(
        DelayedOperation operation,
        DelayedOperationPurgatory<?> home,
        long deadline,
        HeldOperation former) {
      super(operation, home, deadline);
      this.former = former;
    }

    @Override
    HeldOperation former() {
      return former;
    }
  }

  /** Returns the addition before this one, if the operation was still held then. */
  @Nullable HeldOperation former() {
    return null;
  }

  /** Returns the operation, or null once it is released. */
  @Nullable DelayedOperation operation() {
    return (DelayedOperation) referent();
  }

  DelayedOperationPurgatory<?> home() {
    return home;
  }

  void unmarkCancelled() {
    clearBits(CANCELLED);
  }

  void markCancelled() {
    setBits(CANCELLED);
  }

  boolean isCancelled() {
    return (state() & CANCELLED) != 0;
  }

  @Override
  public boolean isEnded() {
    return isRetired();
  }

  /** Hands the expiration over to the timer, whose clock is not the place for it. */
  @Override
  public void onTimeout() {
    home.expireSoon(this);
  }

  /** Expires the operation. */
  @Override
  public void run() {
    DelayedOperation operation = operation();
    if (operation != null) {
      home.expire(this, operation);
    }
  }
}
