package dev.purgatory;

import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/**
 * Calls code from outside: the callbacks of operations, the executors, the listener. Whatever that
 * code throws ends here.
 */
final class Callbacks {

  /*
   * Completions run in the thread whose event completed the operation, or on the executor for them.
   * Expirations run on the executor for them, as the thread that finds them is the clock's. If an
   * executor fails, the next in line takes over: the worker of the purgatory, and last the thread at
   * hand, which needs nothing that could be lacking. An executor may fail after it has run the task,
   * or run it twice: the operation lets one answer begin.
   */

  static final PurgatoryListener<DelayedOperation> SILENT = new PurgatoryListener<>() {};

  private static final System.Logger LOG = System.getLogger(Purgatory.class.getName());

  private final PurgatoryListener<? super DelayedOperation> listener;
  private final LongSupplier clock;
  private final List<Executor> completions;
  private final List<Executor> expirations;

  /**
   * Creates them.
   *
   * @param clock the time now, in nanoseconds
   * @param completions the executors for completions in the order of preference, before the thread
   *     at hand
   * @param expirations the executors for expirations in the order of preference
   */
  Callbacks(
      PurgatoryListener<? super DelayedOperation> listener,
      LongSupplier clock,
      List<Executor> completions,
      List<Executor> expirations) {
    this.listener = listener;
    this.clock = clock;
    this.completions = completions;
    this.expirations = expirations;
  }

  /** For operations that end before they are handed to a purgatory. */
  static Callbacks ofNobody() {
    return new Callbacks(SILENT, () -> 0, List.of(), List.of());
  }

  /** Asks whether the operation can be answered. A failure counts as no. */
  boolean ask(DelayedOperation operation) {
    Trampoline trampoline = Trampoline.current();
    boolean outermost = trampoline.enter();
    try {
      return operation.tryComplete();
    } catch (Throwable e) {
      failed(operation, e);
      return false;
    } finally {
      if (outermost) {
        trampoline.leave();
      }
    }
  }

  /** Tells the listener now in any case, as what follows for the operation has to come after. */
  void held(DelayedOperation operation) {
    Trampoline trampoline = Trampoline.current();
    boolean outermost = trampoline.enter();
    try {
      tell(operation, () -> listener.onHeld(operation));
    } finally {
      if (outermost) {
        trampoline.leave();
      }
    }
  }

  void cancelled(DelayedOperation operation) {
    inTurn(
        () -> tell(operation, () -> listener.onCancelled(operation, operation.heldNanos(now()))));
  }

  void completed(DelayedOperation operation) {
    answerOn(completions, operation, /* expired= */ false);
  }

  void expired(DelayedOperation operation) {
    answerOn(expirations, operation, /* expired= */ true);
  }

  private void answerOn(List<Executor> executors, DelayedOperation operation, boolean expired) {
    if (!handedOver(executors, operation, () -> answer(operation, expired))) {
      answer(operation, expired);
    }
  }

  private boolean handedOver(List<Executor> executors, DelayedOperation operation, Runnable task) {
    for (int i = 0; i < executors.size(); i++) {
      try {
        executors.get(i).execute(task);
        return true;
      } catch (Throwable e) {
        failed(operation, e);
      }
    }
    return false;
  }

  private void answer(DelayedOperation operation, boolean expired) {
    if (operation.beginAnswer()) {
      inTurn(() -> answerNow(operation, expired));
    }
  }

  /** Runs code from outside, now or after such code that is running on this thread. */
  private static void inTurn(Runnable code) {
    Trampoline trampoline = Trampoline.current();
    if (!trampoline.enter()) {
      trampoline.defer(code);
      return;
    }
    try {
      code.run();
    } finally {
      trampoline.leave();
    }
  }

  private void answerNow(DelayedOperation operation, boolean expired) {
    tell(operation, () -> announce(operation, expired, now()));
    guard(operation, operation::onComplete);
    if (expired) {
      guard(operation, operation::onExpiration);
    }
  }

  private void announce(DelayedOperation operation, boolean expired, long now) {
    if (expired) {
      listener.onExpired(operation, operation.heldNanos(now), operation.lateNanos(now));
    } else {
      listener.onCompleted(operation, operation.heldNanos(now));
    }
  }

  /** Tells the listener, if there is one, of an operation that was held. */
  private void tell(DelayedOperation operation, Runnable news) {
    if (listener != SILENT && operation.wasHeld()) {
      guard(operation, news);
    }
  }

  private void guard(DelayedOperation operation, Runnable code) {
    try {
      code.run();
    } catch (Throwable e) {
      failed(operation, e);
    }
  }

  private void failed(DelayedOperation operation, Throwable error) {
    try {
      listener.onError(operation, error);
    } catch (Throwable e) {
      error.addSuppressed(e);
      LOG.log(System.Logger.Level.ERROR, "A listener failed", error);
    }
  }

  private long now() {
    return clock.getAsLong();
  }
}
