package dev.purgatory;

import org.jspecify.annotations.Nullable;

/**
 * What watch lists hold instead of an operation: one per operation, shared by the lists of all its
 * keys. Clearing it lets go of the operation in one step, however many lists it is on.
 */
final class Cell implements Runnable {

  /** Cleared when the operation has ended; readers that still see it find it ended. */
  private volatile @Nullable DelayedOperation operation;

  Cell(DelayedOperation operation) {
    this.operation = operation;
  }

  @Nullable DelayedOperation operation() {
    return operation;
  }

  void clear() {
    operation = null;
  }

  /** Time is up: has the operation expire, if it has not ended. */
  @Override
  public void run() {
    DelayedOperation held = operation;
    if (held != null) {
      held.expireHere();
    }
  }
}
