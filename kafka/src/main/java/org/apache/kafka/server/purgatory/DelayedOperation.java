package org.apache.kafka.server.purgatory;

import dev.purgatory.Handle;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.stream.Stream;
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
   * Kafka's subclasses complete themselves: they call forceComplete(), often from within tryComplete().
   * So this class decides under its lock whether the operation is completed, and before that completes the
   * core's handle.
   *
   * If tryComplete() throws while an operation is added, Kafka's callers of tryCompleteElseWatch expect
   * the exception, and expect that the operation is not held. So the error is kept for the adding
   * thread. It replaces the thread in `adderOrError`: one field instead of two, as there are very many
   * operations. A stale read of this field is harmless, because no other thread can find itself in it.
   *
   * An operation may be added again, by one thread at a time, and is then watched on all keys, with one
   * timeout: the last. Each addition has its own handle. This is rare, so `handles` has no list for it.
   */

  /** Held while {@link #tryComplete} and {@link #onComplete} run. */
  protected final ReentrantLock lock = new ReentrantLock();

  private volatile boolean completed;
  private volatile boolean cancelled;

  /**
   * The handle of the operation in the core; a {@code Handle[]}, in order, if it was added again.
   */
  private volatile @Nullable Object handles;

  /** The thread that is adding the operation, or the error that tryComplete() threw there. */
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
   * Completes the operation if it is not completed yet.
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
    forEachHandle(Handle::complete); // may fail for want of stack, and may be repeated
    super.cancel(); // as well
    completed = true;
    cancel();
    onComplete();
    return true;
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
    if (completed) {
      return;
    }
    cancelled = true;
    forEachHandle(Handle::cancelTimeout);
  }

  @Override
  public boolean isCancelled() {
    return handles == null ? super.isCancelled() : cancelled || completed;
  }

  /** Completes the operation when its timeout expires. Called by the timer. */
  @Override
  public void run() {
    if (forceComplete()) {
      onExpiration();
    }
  }

  /** Called before the current thread adds the operation to the core under the given handle. */
  void beginAdding(Handle newHandle) {
    adderOrError = Thread.currentThread();
    Object former = handles;
    handles = former == null ? newHandle : append(former, newHandle);
    if (cancelled) {
      cancelled = false;
    }
  }

  /** Appends a handle to those whose operation is still held. */
  private static Object append(Object former, Handle last) {
    Stream<Handle> all =
        former instanceof Handle[] several ? Stream.of(several) : Stream.of((Handle) former);
    Handle[] open =
        Stream.concat(all.filter(each -> each.outcome() == null), Stream.of(last))
            .toArray(Handle[]::new);
    return open.length == 1 ? last : open;
  }

  /** Ends the timeouts of former additions: the last one begins a new timeout, as in Kafka. */
  void endFormerTimeouts() {
    if (handles instanceof Handle[] several) {
      super.cancel();
      for (int i = 0; i < several.length - 1; i++) {
        boolean unused = several[i].cancelTimeout();
      }
    }
  }

  /** Called after the operation was added; returns the error that tryComplete() threw meanwhile. */
  @Nullable Throwable finishAdding() {
    Throwable error = adderOrError instanceof Throwable kept ? kept : null;
    adderOrError = null;
    return error;
  }

  /**
   * Checks the operation on behalf of the core. An error on the adding thread is kept for {@link
   * #finishAdding}, and the core no longer holds the operation under the new handle.
   *
   * @return true if this call completed the operation
   */
  boolean evaluate() {
    if (Thread.currentThread() != adderOrError) {
      return evaluateOnce();
    }
    try {
      return evaluateOnce();
    } catch (Throwable e) {
      adderOrError = e;
      cancelLastHandle();
      return false;
    }
  }

  private boolean evaluateOnce() {
    lock.lock();
    try {
      if (completed) { // before the core could be told
        forEachHandle(Handle::cancel);
        return false;
      }
      tryComplete();
      return completed;
    } finally {
      lock.unlock();
    }
  }

  private void cancelLastHandle() {
    Object current = handles;
    Handle last =
        current instanceof Handle[] several ? several[several.length - 1] : (Handle) current;
    if (last != null) {
      boolean unused = last.cancel();
    }
  }

  private void forEachHandle(Predicate<Handle> action) {
    Object current = handles;
    if (current instanceof Handle[] several) {
      for (Handle each : several) {
        boolean unused = action.test(each);
      }
    } else if (current != null) {
      boolean unused = action.test((Handle) current);
    }
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

  boolean safeTryComplete() {
    lock.lock();
    try {
      return !completed && tryComplete();
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
