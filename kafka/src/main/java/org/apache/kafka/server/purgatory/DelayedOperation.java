package org.apache.kafka.server.purgatory;

import dev.purgatory.base.Headroom;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.server.util.timer.TimerTask;
import org.jspecify.annotations.Nullable;

/**
 * A Kafka request that cannot be answered yet. {@link #onComplete} is called exactly once: when
 * {@link #tryComplete} finds that the request can be answered, or when its timeout expires.
 *
 * <p>The lock of the operation is held while {@code tryComplete} and {@code onComplete} run.
 */
public abstract class DelayedOperation extends TimerTask {

  /*
   * `lock` decides whether the operation is completed, and guards its release: from the first check of an
   * addition to the last, while it is checked, and while it is completed. So a release comes before or after an
   * addition, and no check overlaps with the answer. The price is Kafka's: a check waits while another thread
   * checks or answers the same operation.
   *
   * An operation may be added again. Then it is watched on all keys, with one timeout: the last.
   */

  /** Held while {@link #tryComplete} and {@link #onComplete} run. */
  protected final ReentrantLock lock = new ReentrantLock();

  private volatile boolean completed;

  /**
   * The last addition, which knows the former ones; null before the first one, and after the end.
   * Written under the lock.
   */
  private volatile @Nullable HeldOperation held;

  /**
   * Creates an operation.
   *
   * @param delayMs how long it may be held, in milliseconds
   */
  public DelayedOperation(long delayMs) {
    super(delayMs);
  }

  /**
   * Completes the operation if it is not completed yet.
   *
   * @return true if this call completed it
   */
  public boolean forceComplete() {
    if (completed) {
      return false;
    }
    Headroom.ensure();
    lock.lock();
    try {
      if (completed) {
        return false;
      }
      completed = true;
      try {
        release(); // may fail for want of memory
      } finally {
        onComplete();
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  private void release() {
    cancel();
    for (HeldOperation each = held; each != null; each = each.former()) {
      each.home().complete(each);
    }
    held = null;
  }

  /**
   * Returns whether the operation is completed.
   *
   * @return true even before {@link #onComplete} has returned
   */
  public boolean isCompleted() {
    return completed;
  }

  /** Called after {@link #onComplete} if the operation timed out. */
  public abstract void onExpiration();

  /** Answers the request. Called once, while the lock is held. */
  public abstract void onComplete();

  /**
   * Calls {@link #forceComplete} if the operation can be completed now.
   *
   * @return the result of {@code forceComplete}, or false if it was not called
   */
  public abstract boolean tryComplete();

  /** Removes the operation from the timer. It remains watched. */
  @Override
  public void cancel() {
    super.cancel();
    for (HeldOperation each = held; each != null; each = each.former()) {
      each.home().cancelTimeout(each);
    }
  }

  @Override
  public boolean isCancelled() {
    HeldOperation last = held;
    return last == null ? super.isCancelled() : last.isCancelled();
  }

  /** Completes the operation when its timeout expires. Called by the timer. */
  @Override
  public void run() {
    if (forceComplete()) {
      onExpiration();
    }
  }

  @Nullable HeldOperation held() {
    return held;
  }

  /** Sets the last addition. Requires the lock. */
  void held(@Nullable HeldOperation last) {
    assert lock.isHeldByCurrentThread();
    held = last;
  }

  // Used by Kafka's tests.
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

  /** Checks the operation, and returns whether this call completed it. */
  boolean safeTryComplete() {
    lock.lock();
    try {
      if (completed) {
        return false;
      }
      tryComplete();
      return completed;
    } finally {
      lock.unlock();
    }
  }

  /** An action without a result. */
  @FunctionalInterface
  public interface Action {

    /** Performs the action. */
    void apply();
  }
}
