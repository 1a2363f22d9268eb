package dev.purgatory;

import dev.purgatory.PurgatoryListener.Source;
import dev.purgatory.internal.LastResort;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Gives answers: calls the user's code, on the executor for it, and tells the listeners. Whatever
 * that code throws ends here.
 */
final class Callbacks {

  /*
   * An operation that an event ended is answered in the thread of the event, or on the executor for
   * that. An operation whose time is up expires on the executor for that, as the thread that finds it is
   * the clock's; it is claimed there too, so that an event still wins while the executor is busy. If an
   * executor fails, the next in line takes over: the worker of the purgatory, and last the thread at
   * hand, which needs nothing that could be lacking. An executor may fail after it has run the task, or
   * run it twice: the registration lets one answer begin.
   *
   * A timer's own thread serves other purgatories too. So it runs nothing from outside, not even the
   * `execute` of an executor, which may block or reject: it hands over to the worker, which does that
   * and reports what fails.
   *
   * Answers that a callback sets off run at once, within it, up to a depth; then on a helper thread.
   *
   * `unanswered` counts what was handed over and has not run. An answer that is given on the thread
   * that ended the operation is not counted: that would cost each of them two atomic steps.
   */

  /** For operations that end before they are handed to a purgatory. */
  static final Callbacks NOBODY =
      new Callbacks(List.of(), () -> 0, List.of(), List.of(), null, null);

  /** Logs errors, where there is no other listener. */
  private static final PurgatoryListener[] LOGGING = {new PurgatoryListener() {}};

  /** Loads the class now: one that is first used where memory is lacking is lost for good. */
  private static final Source EXECUTOR = Source.EXECUTOR;

  private final PurgatoryListener[] listeners;
  private final LongSupplier clock;
  private final List<Executor> completions;
  private final List<Executor> expirations;
  private final @Nullable Worker relay;
  private final @Nullable Worker helpers;
  private final LongAdder unanswered = new LongAdder();

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
      List<PurgatoryListener> listeners,
      LongSupplier clock,
      List<Executor> completions,
      List<Executor> expirations,
      @Nullable Worker relay,
      @Nullable Worker helpers) {
    this.listeners = listeners.toArray(PurgatoryListener[]::new);
    this.clock = clock;
    this.completions = completions;
    this.expirations = expirations;
    this.relay = relay;
    this.helpers = helpers;
  }

  /** The number of answers that an executor or a helper thread still has to give. */
  long unanswered() {
    return unanswered.sum();
  }

  /**
   * Answers an operation that has ended. Takes no memory, unless an executor is to do it.
   *
   * @param operation what it is to the user; the registration has let go of it
   * @param here whether an operation that has expired is answered on this thread
   */
  void ended(
      Registration registration,
      Object operation,
      Outcome outcome,
      @Nullable Throwable cause,
      boolean here) {
    boolean expired = outcome == Outcome.TIMED_OUT || outcome == Outcome.CLOSED;
    List<Executor> executors = expired ? expirations : completions;
    if (executors.isEmpty() || (expired && here) || !registration.isForAdapter()) {
      answer(registration, operation, outcome, cause);
      return;
    }
    unanswered.increment();
    if (!handedOver(executors, registration, operation, outcome, cause)) {
      answerOnce(registration, operation, outcome, cause);
    }
  }

  /**
   * Has the operation expire on the executor for that. Its registration stands for it, so that an
   * operation that ends meanwhile is not kept reachable.
   */
  void expireSoon(Registration registration) {
    if (relay == null) {
      expireOnExecutor(registration);
      return;
    }
    try {
      relay.execute(() -> expireOnExecutor(registration));
    } catch (Throwable e) {
      failed(registration, EXECUTOR, e);
      registration.run();
    }
  }

  private void expireOnExecutor(Registration registration) {
    Object operation = registration.operation();
    if (operation != null && !handedOver(expirations, operation, registration)) {
      registration.run();
    }
  }

  private boolean handedOver(
      List<Executor> executors,
      Registration registration,
      Object operation,
      Outcome outcome,
      @Nullable Throwable cause) {
    try {
      return handedOver(
          executors, operation, () -> answerOnce(registration, operation, outcome, cause));
    } catch (OutOfMemoryError e) {
      failed(operation, EXECUTOR, e);
      return false;
    }
  }

  private boolean handedOver(List<Executor> executors, Object operation, Runnable task) {
    for (int i = 0; i < executors.size(); i++) {
      try {
        executors.get(i).execute(task);
        return true;
      } catch (Throwable e) {
        failed(operation, EXECUTOR, e);
      }
    }
    return false;
  }

  private void answerOnce(
      Registration registration, Object operation, Outcome outcome, @Nullable Throwable cause) {
    if (registration.beginAnswer()) {
      answer(registration, operation, outcome, cause);
      unanswered.decrement();
    }
  }

  private void answer(
      Registration registration, Object operation, Outcome outcome, @Nullable Throwable cause) {
    int depth = Nesting.enter();
    try {
      if (!Nesting.isTooDeep(depth) || !answerOnHelper(registration, operation, outcome, cause)) {
        answerNow(registration, operation, outcome, cause);
      }
    } finally {
      Nesting.leave(depth);
    }
  }

  private boolean answerOnHelper(
      Registration registration, Object operation, Outcome outcome, @Nullable Throwable cause) {
    unanswered.increment();
    try {
      if (helpers != null
          && helpers.offer(
              () -> {
                answer(registration, operation, outcome, cause);
                unanswered.decrement();
              })) {
        return true;
      }
    } catch (Throwable e) {
      failed(operation, EXECUTOR, e);
    }
    unanswered.decrement();
    return false;
  }

  /**
   * Has the evaluations that an operation is still owed done on a helper thread.
   *
   * @return false if no such thread can be had
   */
  boolean handOverEvaluation(Registration registration) {
    try {
      return helpers != null && helpers.offer(registration::endHandedOverEvaluation);
    } catch (Throwable e) {
      failed(registration, EXECUTOR, e);
      return false;
    }
  }

  private void answerNow(
      Registration registration, Object operation, Outcome outcome, @Nullable Throwable cause) {
    if (listeners.length > 0) {
      announce(registration, operation, outcome, cause);
    }
    if (registration.isForAdapter()) {
      try {
        registration.adapter().onOutcome(operation, outcome, cause);
      } catch (Throwable e) {
        failed(operation, Source.ANSWER, e);
      }
    }
  }

  private void announce(
      Registration registration, Object operation, Outcome outcome, @Nullable Throwable cause) {
    if (!registration.wasHeld()) {
      if (outcome == Outcome.COMPLETED) {
        answeredAtOnce(operation);
      }
      return;
    }
    long now = clock.getAsLong();
    long held = registration.heldNanos(now, operation);
    long late = registration.lateNanos(now);
    for (PurgatoryListener listener : listeners) {
      try {
        listener.onEnded(operation, outcome, cause, held, late);
      } catch (Throwable e) {
        failed(operation, Source.LISTENER, e);
      }
    }
  }

  private void answeredAtOnce(Object operation) {
    for (PurgatoryListener listener : listeners) {
      try {
        listener.onAnsweredAtOnce(operation);
      } catch (Throwable e) {
        failed(operation, Source.LISTENER, e);
      }
    }
  }

  void held(Registration registration) {
    Object operation = listeners.length > 0 ? registration.operation() : null;
    if (operation == null) {
      return;
    }
    for (PurgatoryListener listener : listeners) {
      try {
        listener.onHeld(operation);
      } catch (Throwable e) {
        failed(operation, Source.LISTENER, e);
      }
    }
  }

  void refused(Object operation, RuntimeException reason) {
    for (PurgatoryListener listener : listeners) {
      try {
        listener.onRefused(operation, reason);
      } catch (Throwable e) {
        failed(operation, Source.LISTENER, e);
      }
    }
  }

  /** Tells that the user's code threw. */
  void failed(Object operation, Source source, Throwable error) {
    for (PurgatoryListener listener : listeners.length > 0 ? listeners : LOGGING) {
      try {
        listener.onError(operation, source, error);
      } catch (Throwable e) {
        LastResort.log("A listener failed", e);
        LastResort.log("when it was told of this", error);
      }
    }
  }
}
