package org.apache.kafka.server.purgatory;

import dev.purgatory.Held;
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
   * Kafka's subclasses decide whether the operation is completed: they call forceComplete(), under its
   * lock, often from within tryComplete(). The core's handle, `held`, is completed in the same step.
   *
   * Kafka's callers of tryCompleteElseWatch expect to get what tryComplete() throws there, and that the
   * operation is not held then. So an error on the adding thread is kept for it, in the field that
   * says which thread that is: one field, as there are very many of these objects. Other threads that
   * evaluate meanwhile or later find it to be something else than themselves, however stale it is.
   */

  /** Held while {@link #tryComplete} and {@link #onComplete} run. */
  protected final ReentrantLock lock = new ReentrantLock();

  private volatile boolean completed;
  private volatile boolean cancelled;
  private volatile @Nullable Held held;

  /** The thread that adds the operation, then what tryComplete() has thrown there, or null. */
  private @Nullable Object adderOrError;

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
    Held place = held;
    if (place != null) {
      boolean unused = place.complete();
    }
    cancel();
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
    if (completed) {
      return;
    }
    cancelled = true;
    Held place = held;
    if (place != null) {
      boolean unused = place.cancelTimeout();
    }
  }

  @Override
  public boolean isCancelled() {
    return held == null ? super.isCancelled() : cancelled || completed;
  }

  /** Completes the operation as its time is up. Called by the timer. */
  @Override
  public void run() {
    if (forceComplete()) {
      onExpiration();
    }
  }

  /** Notes what the core has for this operation, which this thread begins to add. */
  void addAs(Held place) {
    adderOrError = Thread.currentThread();
    held = place;
    if (cancelled) {
      cancelled = false;
    }
  }

  /** Ends the time in which errors are kept, and returns the one that came. */
  @Nullable Throwable added() {
    Throwable error = adderOrError instanceof Throwable kept ? kept : null;
    adderOrError = null;
    return error;
  }

  /**
   * Checks the operation on behalf of the core. Keeps an error of the adding thread, which ends the
   * operation for the core.
   *
   * @return true if this has completed it
   */
  boolean evaluate() {
    if (Thread.currentThread() != adderOrError) {
      return evaluateOnce();
    }
    try {
      return evaluateOnce();
    } catch (Throwable e) {
      adderOrError = e;
      cancelHeld();
      return false;
    }
  }

  private boolean evaluateOnce() {
    lock.lock();
    try {
      if (completed) { // before the core could be told
        cancelHeld();
        return false;
      }
      tryComplete();
      return completed;
    } finally {
      lock.unlock();
    }
  }

  private void cancelHeld() {
    Held place = held;
    if (place != null) {
      boolean unused = place.cancel();
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
