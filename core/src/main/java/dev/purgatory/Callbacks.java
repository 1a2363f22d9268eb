package dev.purgatory;

import dev.purgatory.internal.LastResort;
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
   * Expirations run on the executor for them, as the thread that finds them is the clock's; they are
   * claimed there too, so that an event still wins while the executor is busy. If an executor fails,
   * the next in line takes over: the worker of the purgatory, and last the thread at hand, which needs
   * nothing that could be lacking. For the same reason an answer that is given at once takes no memory,
   * and one that finds none to wait with is given at once. An executor may fail after it has run the
   * task, or run it twice: the operation lets one answer begin.
   */

  static final PurgatoryListener<DelayedOperation> SILENT = new PurgatoryListener<>() {};

  /** For operations that end before they are handed to a purgatory. */
  static final Callbacks NOBODY = new Callbacks(SILENT, () -> 0, List.of(), List.of());

  private final PurgatoryListener<? super DelayedOperation> listener;
  private final LongSupplier clock;
  private final List<Executor> completions;
  private final List<Executor> expirations;

  /**
   * Takes who is to be called.
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
    if (listener != SILENT) {
      Trampoline.current().now(() -> guard(operation, () -> listener.onHeld(operation)));
    }
  }

  void cancelled(DelayedOperation operation) {
    if (tells(operation)) {
      long held = operation.heldNanos(now());
      Trampoline.inTurn(() -> guard(operation, () -> listener.onCancelled(operation, held)));
    }
  }

  void completed(DelayedOperation operation) {
    answerOn(completions, operation, /* expired= */ false);
  }

  /** Answers an operation whose time is up, on the executor for that. */
  void expired(DelayedOperation operation) {
    answerOn(expirations, operation, /* expired= */ true);
  }

  /** Answers an operation whose time is up, on this thread. */
  void expiredHere(DelayedOperation operation) {
    answer(operation, /* expired= */ true);
  }

  /**
   * Has the operation expire on the executor for that. What waits there is the cell, so that an
   * operation that ends meanwhile is not kept from being freed.
   */
  void expireSoon(DelayedOperation operation, Cell cell) {
    if (!handedOver(expirations, operation, cell)) {
      cell.run();
    }
  }

  private void answerOn(List<Executor> executors, DelayedOperation operation, boolean expired) {
    if (executors.isEmpty()) {
      answer(operation, expired);
    } else if (!handedOver(executors, operation, expired)) {
      answerOnce(operation, expired);
    }
  }

  private boolean handedOver(
      List<Executor> executors, DelayedOperation operation, boolean expired) {
    try {
      return handedOver(executors, operation, () -> answerOnce(operation, expired));
    } catch (OutOfMemoryError e) {
      failed(operation, e);
      return false;
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

  private void answerOnce(DelayedOperation operation, boolean expired) {
    if (operation.beginAnswer()) {
      answer(operation, expired);
    }
  }

  private void answer(DelayedOperation operation, boolean expired) {
    if (!deferred(operation, expired)) {
      Trampoline trampoline = Trampoline.current();
      boolean outermost = trampoline.enter();
      try {
        answerNow(operation, expired);
      } finally {
        if (outermost) {
          trampoline.leave();
        }
      }
    }
  }

  /** Returns false where nothing is in the way of the answer, or memory for waiting is lacking. */
  private boolean deferred(DelayedOperation operation, boolean expired) {
    Trampoline trampoline = Trampoline.current();
    if (!trampoline.isOccupied()) {
      return false;
    }
    try {
      trampoline.defer(() -> answerNow(operation, expired));
      return true;
    } catch (OutOfMemoryError e) {
      failed(operation, e);
      return false;
    }
  }

  private void answerNow(DelayedOperation operation, boolean expired) {
    announce(operation, expired);
    try {
      operation.onComplete();
    } catch (Throwable e) {
      failed(operation, e);
    }
    if (expired) {
      answerExpired(operation);
    }
  }

  private void answerExpired(DelayedOperation operation) {
    try {
      operation.onExpiration();
    } catch (Throwable e) {
      failed(operation, e);
    }
  }

  private void announce(DelayedOperation operation, boolean expired) {
    if (!tells(operation)) {
      return;
    }
    try {
      long now = now();
      if (expired) {
        listener.onExpired(operation, operation.heldNanos(now), operation.lateNanos(now));
      } else {
        listener.onCompleted(operation, operation.heldNanos(now));
      }
    } catch (Throwable e) {
      failed(operation, e);
    }
  }

  /** Whether there is somebody to tell of this operation: only of those that were held. */
  private boolean tells(DelayedOperation operation) {
    return listener != SILENT && operation.wasHeld();
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
      LastResort.log("A listener failed", e);
      LastResort.log("when it was told of this", error);
    }
  }

  private long now() {
    return clock.getAsLong();
  }
}
