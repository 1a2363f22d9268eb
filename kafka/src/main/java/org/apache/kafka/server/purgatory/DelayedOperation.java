package org.apache.kafka.server.purgatory;

import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.server.util.timer.TimerTask;
import org.jspecify.annotations.Nullable;

/**
 * A request of Kafka's that cannot be answered yet. {@link #onComplete} is called exactly once:
 * when {@link #tryComplete} finds that it can be answered, or when its time is up.
 *
 * <p>The lock of the operation is held while {@code tryComplete} and {@code onComplete} run.
 */
public abstract class DelayedOperation extends TimerTask {

  /*
   * Whether the operation is completed is decided here, under its lock, as Kafka's subclasses decide it
   * by calling forceComplete() from within tryComplete(). The core holds a HeldOperation in its place,
   * which ends with it: by the core where tryComplete() was called from there (`evaluating`), else from
   * here.
   */

  /** Held while {@link #tryComplete} and {@link #onComplete} run. */
  protected final ReentrantLock lock = new ReentrantLock();

  private volatile boolean completed;
  private volatile boolean cancelled;
  private volatile @Nullable HeldOperation held;

  /** Guarded by the lock. */
  private boolean evaluating;

  /**
   * Creates an operation.
   *
   * @param delayMs how long it may be held, in milliseconds
   */
  public DelayedOperation(long delayMs) {
    super(delayMs);
  }

  /**
   * Completes the operation, if that has not happened before.
   *
   * @return true if this call completed it
   */
  public boolean forceComplete() {
    if (completed) {
      return false;
    }
    if (lock.isHeldByCurrentThread()) {
      return complete();
    }
    lock.lock();
    try {
      return complete();
    } finally {
      lock.unlock();
    }
  }

  private boolean complete() {
    if (completed) {
      return false;
    }
    completed = true;
    cancel();
    HeldOperation place = held;
    if (place != null && !evaluating) {
      place.forceComplete();
    }
    onComplete();
    return true;
  }

  /**
   * Tells whether the operation is completed.
   *
   * @return true from the moment when that is decided
   */
  public boolean isCompleted() {
    return completed;
  }

  /** Called after {@link #onComplete} if time has forced it. */
  public abstract void onExpiration();

  /** Answers the request. Called once, with the lock held. */
  public abstract void onComplete();

  /**
   * Calls {@link #forceComplete} if the operation can be completed by now.
   *
   * @return what that has returned, else false
   */
  public abstract boolean tryComplete();

  /** Takes the operation out of the timer. It is watched nevertheless. */
  @Override
  public void cancel() {
    super.cancel();
    cancelled = true;
    HeldOperation place = held;
    if (place != null) {
      place.unschedule();
    }
  }

  @Override
  public boolean isCancelled() {
    return held == null ? super.isCancelled() : cancelled;
  }

  /** Completes the operation as its time is up. Called by the timer. */
  @Override
  public void run() {
    if (forceComplete()) {
      onExpiration();
    }
  }

  /** Notes what the core holds in place of this operation. */
  void heldAs(HeldOperation place) {
    held = place;
    if (cancelled) {
      cancelled = false;
    }
  }

  /**
   * Checks the operation on behalf of what the core holds.
   *
   * @return true if this has completed it
   */
  boolean evaluate(HeldOperation place) {
    lock.lock();
    try {
      if (completed) {
        place.cancel();
        return false;
      }
      evaluating = true;
      tryComplete();
      return completed;
    } catch (Throwable e) {
      if (completed) {
        place.forceComplete();
      }
      throw e;
    } finally {
      evaluating = false;
      lock.unlock();
    }
  }

  // The two below are used by Kafka's tests.

  boolean safeTryCompleteOrElse(Action action) {
    lock.lock();
    try {
      if (tryComplete()) {
        return true;
      }
      action.apply();
      return tryComplete();
    } finally {
      lock.unlock();
    }
  }

  boolean safeTryComplete() {
    lock.lock();
    try {
      return !completed && tryComplete();
    } finally {
      lock.unlock();
    }
  }

  /** Something to do. */
  @FunctionalInterface
  public interface Action {

    /** Does it. */
    void apply();
  }
}
