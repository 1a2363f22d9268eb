package dev.purgatory;

import dev.purgatory.internal.TimerEntry;
import org.jspecify.annotations.Nullable;

/**
 * What the timer and the watch lists hold instead of an operation: one per operation, shared by
 * all. Clearing it lets go of the operation in one step, however many lists it is on.
 */
final class Cell extends TimerEntry implements Runnable {

  /** Cleared when the operation has ended; readers that still see it find it ended. */
  private volatile @Nullable DelayedOperation operation;

  /** On how many lists it was put. Written by the thread that adds the operation. */
  int lists;

  Cell(DelayedOperation operation, long deadline) {
    super(deadline);
    this.operation = operation;
  }

  @Nullable DelayedOperation operation() {
    return operation;
  }

  /** 1 until it is cleared, then 0: a number, for loops that avoid a branch. */
  int inUse() {
    return operation == null ? 0 : 1;
  }

  void clear() {
    operation = null;
  }

  /** Time is up. Called by the timer. */
  @Override
  public void onTimeout() {
    DelayedOperation held = operation;
    if (held != null) {
      held.timeIsUp(this);
    }
  }

  /** Time is up: has the operation expire here, if it has not ended. */
  @Override
  public void run() {
    DelayedOperation held = operation;
    if (held != null) {
      held.expireHere();
    }
  }
}
