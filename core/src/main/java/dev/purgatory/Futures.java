package dev.purgatory;

import static java.util.Objects.requireNonNull;

import dev.purgatory.base.Nesting;
import dev.purgatory.threads.Helpers;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Creates the futures of a purgatory, holds them, completes them, and creates their exceptions.
 * Thread-safe.
 */
final class Futures<K> extends Registration.Behaviour<HeldFuture<?>> {

  /*
   * A future whose request has ended is completed at once. Two kinds are
   * `unsettled` and completed later, on a helper thread: a future whose completion is nested too deep, and
   * one whose completion finds no memory, not even for an exception. They are a list that the futures
   * themselves link, so to add one needs no memory. A helper thread tries until it succeeds. Without memory,
   * no helper thread may be started, or it may end before it begins. So the next end of a future, or close,
   * asks again unless a thread is `settling` the list, or a task for one waits in its lane.
   */

  private final Core<K> core;
  private final Map<Outcome, Function<? super HeldFuture<?>, ? extends Throwable>> exceptions;
  private final @Nullable Supplier<? extends UnaryOperator<Runnable>> context;
  private final String cancelled;
  private final Runnable settler = this::settleAll;
  private volatile boolean refuses;

  /** Guards the list. Nothing blocks or calls out while it is held. */
  private final Object lock = new Object();

  /** The first of the list. Written under the lock. */
  private volatile @Nullable HeldFuture<?> unsettled;

  /** A helper thread completes the futures of the list. Only helpers write it; two do no harm. */
  private volatile boolean settling;

  Futures(
      Core<K> core,
      Map<Outcome, Function<? super HeldFuture<?>, ? extends Throwable>> exceptions,
      @Nullable Supplier<? extends UnaryOperator<Runnable>> context) {
    super(core);
    this.core = core;
    this.context = context;
    this.exceptions = new EnumMap<>(exceptions);
    cancelled = core.name() + ": cancelled";
  }

  @Override
  protected long timeoutNanos(HeldFuture<?> future) {
    return future.timeoutNanos();
  }

  @Override
  boolean evaluate(HeldFuture<?> future, @Nullable Object reason) {
    return future.isReady(reason);
  }

  @Override
  void answer(HeldFuture<?> future, Outcome outcome, @Nullable Throwable cause) {
    future.onOutcome(this, outcome, cause);
    settleStranded();
  }

  @Override
  Object key(HeldFuture<?> future) {
    return requireNonNull(future.id());
  }

  @Override
  void discard(HeldFuture<?> future) {
    future.giveBack();
  }

  @Override
  boolean timesOutHere() {
    return true;
  }

  // Completing.

  /** Completes a future whose request this thread has ended, whatever the depth. */
  void settle(HeldFuture<?> future) {
    if (!future.isObserved()) {
      settleNow(future); // so nothing is nested
    } else {
      int depth = Nesting.enter();
      try {
        if (Nesting.isTooDeep(depth)) {
          settleLater(future);
        } else {
          settleNow(future);
        }
      } finally {
        Nesting.leave(depth);
      }
    }
    settleStranded();
  }

  /** Completes a future whose request this thread has ended; on a helper without memory. */
  void settleNow(HeldFuture<?> future) {
    if (!future.trySettle(this)) {
      settleLater(future);
    }
  }

  /** Completes a future on a helper thread, after its request has ended. Needs no memory. */
  void settleLater(HeldFuture<?> future) {
    add(future);
    if (!core.onHelper(settler)) {
      settleAll();
    }
  }

  /** Completes the futures of the list for which no thread is on its way. */
  void settleStranded() {
    if (unsettled != null && !settling && !core.hasHelperTasks()) {
      core.onHelper(settler); // if that fails, the next end of a future asks again
    }
  }

  private void settleAll() {
    if (!Helpers.isHelper()) {
      settleAll(/* waits= */ false);
      return;
    }
    settling = true;
    try {
      settleAll(/* waits= */ true);
    } finally {
      settling = false;
    }
  }

  private void settleAll(boolean waits) {
    for (HeldFuture<?> each; (each = poll()) != null; ) {
      int depth = Nesting.enter();
      try {
        if (each.trySettle(this)) {
          continue;
        }
      } finally {
        Nesting.leave(depth);
      }
      add(each);
      if (!waits) {
        return; // the caller may be the one that has the memory
      }
      LockSupport.parkNanos(Core.REST_NANOS);
    }
  }

  private void add(HeldFuture<?> future) {
    synchronized (lock) {
      future.next(unsettled);
      unsettled = future;
    }
  }

  private @Nullable HeldFuture<?> poll() {
    synchronized (lock) {
      HeldFuture<?> first = unsettled;
      if (first != null) {
        unsettled = first.next();
        first.next(null);
      }
      return first;
    }
  }

  // Holding.

  /** Returns the core that holds the futures. */
  Core<K> holder() {
    return core;
  }

  /** Captures the context of the current thread; null if there is none. */
  @Nullable UnaryOperator<Runnable> captureContext() {
    return context == null ? null : context.get();
  }

  /** Holds a future that completes as the stage does. */
  <T> HeldFuture<T> timeout(
      CompletionStage<T> stage,
      long nanos,
      HeldFuture.@Nullable OnTimeout<T> onTimeout,
      Term term) {
    requireNonNull(stage, "stage");
    HeldFuture<T> future = new HeldFuture<>(this, null, null, nanos, onTimeout, List.of(), null);
    boolean isDone = stage instanceof CompletableFuture<T> known && known.isDone();
    if (!isDone || core.isClosed() || core.timer().isClosed()) {
      hold(future, List.of(), term);
    } // else there is nothing to wait for
    Registration registration = future.registration(); // releases the future at its end
    try {
      stage.whenComplete((value, e) -> pass(registration, value, e));
    } catch (Throwable e) {
      future.cancel(false);
      throw e;
    }
    return future;
  }

  @SuppressWarnings("unchecked") // the operation is the future of timeout()
  private static <T> void pass(Registration registration, T value, @Nullable Throwable error) {
    HeldFuture<T> future = (HeldFuture<T>) registration.operation();
    if (future != null) {
      if (error == null) {
        future.complete(value);
      } else {
        future.completeExceptionally(error);
      }
    }
  }

  /**
   * Holds a future, as {@link Core#hold}. If the purgatory refuses it, it fails with the refusal.
   */
  void hold(HeldFuture<?> future, Collection<? extends K> keys, Term term) {
    try {
      refuseIfClosed(future);
      core.hold(future.registration(), this, keys, term);
    } catch (PurgatoryClosedException e) {
      future.end(Outcome.CLOSED, null, exception(future, Outcome.CLOSED, null));
    } catch (LimitExceededException e) {
      future.completeExceptionally(e);
    }
  }

  /** Refuses further futures, and lets the held ones end by themselves. */
  void refuseAll() {
    refuses = true;
  }

  private void refuseIfClosed(HeldFuture<?> future) {
    if ((refuses || core.timer().isClosed()) && !core.isClosed()) {
      throw core.refused(
          future.registration(),
          refuses
              ? new PurgatoryClosedException(core.name() + " is closing")
              : core.closedException());
    }
  }

  /**
   * Returns the exception for a future that the purgatory has ended without a value.
   *
   * @param given why it was cancelled; for another outcome, the exception itself. Null if the
   *     outcome tells
   */
  Throwable exception(HeldFuture<?> future, Outcome outcome, @Nullable Throwable given) {
    if (given != null && outcome != Outcome.CANCELLED) {
      return given;
    }
    Function<? super HeldFuture<?>, ? extends Throwable> exception = exceptions.get(outcome);
    if (exception != null) {
      try {
        return requireNonNull(exception.apply(future), "exception");
      } catch (Throwable e) {
        return e;
      }
    }
    return switch (outcome) {
      case COMPLETED -> throw new IllegalArgumentException("completed with a value: " + future);
      case TIMED_OUT ->
          new TimeoutException(
              future.onKeys(
                  core.name() + ": no answer within " + future.timedOutAfter(core.now())));
      case CANCELLED -> {
        String message = future.onKeys(cancelled);
        yield given == null ? new CancellationException(message) : new Cancelled(message, given);
      }
      case FAILED -> throw new IllegalArgumentException("failed without a cause: " + future);
      case CLOSED -> core.closedException();
    };
  }

  /**
   * Has no stack trace: that of a helper thread says nothing, and many may time out together. Logs
   * show it by the name that users catch.
   */
  static final class TimeoutException extends java.util.concurrent.TimeoutException {
    private static final long serialVersionUID = 1;

    TimeoutException(String message) {
      super(message);
    }

    @Override
    @SuppressWarnings("OverrideThrowableToString") // the message is the same, the name is not
    public String toString() {
      return java.util.concurrent.TimeoutException.class.getName() + ": " + getMessage();
    }

    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized") // there is nothing to guard
    public Throwable fillInStackTrace() {
      return this;
    }
  }

  /** Has no stack trace: that of its cause, which many requests share, is the one that matters. */
  private static final class Cancelled extends CancellationException {
    private static final long serialVersionUID = 1;

    Cancelled(String message, Throwable cause) {
      super(message);
      initCause(cause);
    }

    @Override
    @SuppressWarnings("OverrideThrowableToString") // the message is the same, the name is not
    public String toString() {
      return CancellationException.class.getName() + ": " + getMessage();
    }

    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized") // there is nothing to guard
    public Throwable fillInStackTrace() {
      return this;
    }
  }
}
