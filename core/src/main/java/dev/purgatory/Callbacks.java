package dev.purgatory;

import dev.purgatory.internal.LastResort;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

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
   * nothing that could be lacking. For the same reason an answer that is given at once takes no memory.
   * An executor may fail after it has run the task, or run it twice: the operation lets one answer
   * begin.
   *
   * A timer's own thread serves other purgatories too. So it runs nothing from outside, not even the
   * `execute` of an executor, which may block or reject: it hands over to the worker, which does that
   * and reports what fails.
   *
   * Answers that a callback sets off run at once, within it, up to a depth; then on a helper thread.
   */

  private enum News {
    COMPLETED,
    EXPIRED,
    CANCELLED
  }

  static final PurgatoryListener<DelayedOperation> SILENT = new PurgatoryListener<>() {};

  /** For operations that end before they are handed to a purgatory. */
  static final Callbacks NOBODY = new Callbacks(SILENT, () -> 0, List.of(), List.of(), null, null);

  private final PurgatoryListener<? super DelayedOperation> listener;
  private final LongSupplier clock;
  private final List<Executor> completions;
  private final List<Executor> expirations;
  private final @Nullable Worker relay;
  private final @Nullable Worker helpers;

  /**
   * Takes what is to be called.
   *
   * @param clock the time now, in nanoseconds
   * @param completions the executors for completions in the order of preference, before the thread
   *     at hand
   * @param expirations the executors for expirations in the order of preference
   * @param relay calls the executors for expirations in place of the thread that advances the
   *     clock, or null if that thread does
   * @param helpers runs what is nested too deep
   */
  Callbacks(
      PurgatoryListener<? super DelayedOperation> listener,
      LongSupplier clock,
      List<Executor> completions,
      List<Executor> expirations,
      @Nullable Worker relay,
      @Nullable Worker helpers) {
    this.listener = listener;
    this.clock = clock;
    this.completions = completions;
    this.expirations = expirations;
    this.relay = relay;
    this.helpers = helpers;
  }

  /** Asks whether the operation can be answered. A failure counts as no. */
  boolean ask(DelayedOperation operation) {
    try {
      return operation.tryComplete();
    } catch (Throwable e) {
      failed(operation, e);
      return false;
    }
  }

  /** Asks for the last time, as time is up. A failure counts as no. */
  boolean askLast(DelayedOperation operation) {
    try {
      return operation.tryCompleteOnTimeout();
    } catch (Throwable e) {
      failed(operation, e);
      return false;
    }
  }

  void held(DelayedOperation operation) {
    if (listener != SILENT) {
      try {
        listener.onHeld(operation);
      } catch (Throwable e) {
        failed(operation, e);
      }
    }
  }

  void cancelled(DelayedOperation operation) {
    if (tells(operation)) {
      tell(operation, News.CANCELLED);
    }
  }

  void completed(DelayedOperation operation) {
    answerOn(completions, operation, News.COMPLETED);
  }

  /** Answers an operation whose time is up, on the executor for that. */
  void expired(DelayedOperation operation) {
    answerOn(expirations, operation, News.EXPIRED);
  }

  /** Answers an operation whose time is up, on this thread. */
  void expiredHere(DelayedOperation operation) {
    tell(operation, News.EXPIRED);
  }

  /**
   * Has the operation expire on the executor for that. The cell stands for it, so that an operation
   * that ends meanwhile is not kept reachable.
   */
  void expireSoon(DelayedOperation operation, Cell cell) {
    if (relay == null) {
      expireOnExecutor(cell);
      return;
    }
    try {
      relay.execute(() -> expireOnExecutor(cell));
    } catch (Throwable e) {
      failed(operation, e);
      cell.run();
    }
  }

  private void expireOnExecutor(Cell cell) {
    DelayedOperation operation = cell.operation();
    if (operation != null && !handedOver(expirations, operation, cell)) {
      cell.run();
    }
  }

  private void answerOn(List<Executor> executors, DelayedOperation operation, News news) {
    if (executors.isEmpty()) {
      tell(operation, news);
    } else if (!handedOver(executors, operation, news)) {
      answerOnce(operation, news);
    }
  }

  private boolean handedOver(List<Executor> executors, DelayedOperation operation, News news) {
    try {
      return handedOver(executors, operation, () -> answerOnce(operation, news));
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

  private void answerOnce(DelayedOperation operation, News news) {
    if (operation.beginAnswer()) {
      tell(operation, news);
    }
  }

  private void tell(DelayedOperation operation, News news) {
    int depth = Nesting.enter();
    try {
      if (!Nesting.isTooDeep(depth) || !tellOnHelper(operation, news)) {
        tellNow(operation, news);
      }
    } finally {
      Nesting.leave(depth);
    }
  }

  private boolean tellOnHelper(DelayedOperation operation, News news) {
    try {
      return helpers != null && helpers.offer(() -> tell(operation, news));
    } catch (Throwable e) {
      failed(operation, e);
      return false;
    }
  }

  /**
   * Has the evaluations that an operation is still owed done on a helper thread.
   *
   * @return false if no such thread can be had
   */
  boolean handOverEvaluation(DelayedOperation operation) {
    try {
      return helpers != null && helpers.offer(operation::endHandedOverEvaluation);
    } catch (Throwable e) {
      failed(operation, e);
      return false;
    }
  }

  private void tellNow(DelayedOperation operation, News news) {
    announce(operation, news);
    if (news == News.CANCELLED) {
      return;
    }
    try {
      operation.onComplete();
    } catch (Throwable e) {
      failed(operation, e);
    }
    if (news == News.EXPIRED) {
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

  private void announce(DelayedOperation operation, News news) {
    if (!tells(operation)) {
      return;
    }
    try {
      long now = clock.getAsLong();
      long held = operation.heldNanos(now);
      switch (news) {
        case COMPLETED -> listener.onCompleted(operation, held);
        case EXPIRED -> listener.onExpired(operation, held, operation.lateNanos(now));
        case CANCELLED -> listener.onCancelled(operation, held);
      }
    } catch (Throwable e) {
      failed(operation, e);
    }
  }

  /** Whether there is somebody to tell of this operation: only of those that were held. */
  private boolean tells(DelayedOperation operation) {
    return listener != SILENT && operation.wasHeld();
  }

  private void failed(DelayedOperation operation, Throwable error) {
    try {
      listener.onError(operation, error);
    } catch (Throwable e) {
      LastResort.log("A listener failed", e);
      LastResort.log("when it was told of this", error);
    }
  }
}
