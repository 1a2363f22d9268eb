package dev.purgatory;

import static java.util.Objects.requireNonNull;

import dev.purgatory.PurgatoryListener.Source;
import dev.purgatory.Registration.Behaviour;
import dev.purgatory.base.FlightEvents;
import dev.purgatory.base.ForeignCode;
import dev.purgatory.base.Headroom;
import dev.purgatory.base.LastResort;
import dev.purgatory.base.Nesting;
import dev.purgatory.base.StripedCounter;
import dev.purgatory.threads.Lane;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Calls the user's code: conditions, answers, executors and listeners. Gives each answer once, on
 * the right executor. Contains everything that this code throws. Thread-safe.
 */
final class Answers {

  /*
   * An operation that an event ends is answered on the thread of the event, or on the completion
   * executor. An operation that times out expires on the expiration executor, because the thread that
   * finds it is the clock's. It is claimed on that executor too, so an event still wins while the executor
   * is busy. If an executor fails, the next one takes over: the lane of expirations, then the current
   * thread, which needs no resources. An executor may fail after running the task, or run it twice: the
   * registration lets only one answer begin.
   *
   * If the caller drives the clock, its thread answers expirations by default, before `advance` returns. A
   * close uses the lane nevertheless, because it does not wait for one answer after another.
   *
   * A timer's own thread may serve several purgatories, so it runs no foreign code while there is memory, not even the
   * `execute` method of an executor, which may block or reject. It hands over to the lane of expirations,
   * which calls the executor and reports failures. The tasks of a lane run one after another, until one
   * blocks: then another thread goes on. Periodic evaluations have a lane of their own, so that they do not
   * delay expirations.
   *
   * Answers that a callback causes run at once, nested in it, up to a depth; deeper ones run on a helper
   * thread. So do the answers of the operations that a closing purgatory cancels: it does not wait for them.
   *
   * The claim of the end says who answers: see Registration. `unanswered` counts answers that
   * were handed over and have not run. Answers on the thread that ended the operation are not counted, to save
   * two atomic operations per answer.
   *
   * Each kind of event has its own loop over the listeners: a shared one would take a lambda, which
   * allocates, and events are also told when memory is exhausted.
   */

  private static final LastResort LISTENER_THREW = LastResort.handler("A listener threw");
  private static final LastResort NOT_TOLD = LastResort.handler("while it was told of this error");

  /** Serves operations that end before they are handed to a purgatory. */
  static final Answers WITHOUT_PURGATORY =
      new Answers("", List.of(), () -> 0, List.of(), List.of(), /* relays= */ false, null);

  /** The default executor of expirations if the caller drives the clock. */
  static final Executor BY_THE_CLOCK = Runnable::run;

  /** Logs errors if there is no other listener. */
  private static final PurgatoryListener[] LOGGING = {new PurgatoryListener() {}};

  /** Initializes the class early: without memory, its initialization would fail for good. */
  private static final Source EXECUTOR = Source.EXECUTOR;

  private final String name;
  private final PurgatoryListener[] listeners;
  private final LongSupplier clock;
  private final List<Executor> completions;
  private final List<Executor> expirations;
  private final boolean relays;
  private final @Nullable Lanes lanes;
  private final StripedCounter unanswered = new StripedCounter(); // to add needs no memory

  /**
   * Creates answers for the operations of a purgatory.
   *
   * @param name the name of the purgatory
   * @param clock returns the time in nanoseconds
   * @param completions the executors for completions, in order of preference; the current thread is
   *     the last resort
   * @param expirations the executors for expirations, in order of preference
   * @param relays whether a lane calls the executors for expirations instead of the thread that
   *     advances the clock
   * @param lanes null if there are none
   */
  Answers(
      String name,
      List<PurgatoryListener> listeners,
      LongSupplier clock,
      List<Executor> completions,
      List<Executor> expirations,
      boolean relays,
      @Nullable Lanes lanes) {
    this.name = name;
    this.listeners = listeners.toArray(PurgatoryListener[]::new);
    this.clock = clock;
    this.completions = completions;
    this.expirations = expirations;
    this.relays = relays;
    this.lanes = lanes;
  }

  boolean hasListeners() {
    return listeners.length > 0;
  }

  /** Returns the number of answers that wait for an executor or a helper thread. */
  long unanswered() {
    return unanswered.sum();
  }

  /** Evaluates the condition of an operation: see {@link Behaviour#evaluate}. */
  boolean isReady(Behaviour<Object> behaviour, Object operation, @Nullable Object reason) {
    FlightEvents.Call call = FlightEvents.beginCall();
    boolean interrupted = ForeignCode.enter();
    try {
      return behaviour.evaluate(operation, reason);
    } finally {
      ForeignCode.leave(interrupted);
      end(call, "condition", operation);
    }
  }

  /** Gives back a value that a condition has found and that is not delivered. */
  void discard(Behaviour<Object> behaviour, Object operation) {
    try {
      behaviour.discard(operation);
    } catch (Throwable e) {
      failed(operation, Source.ANSWER, e);
    }
  }

  /**
   * Answers an operation that has ended. Allocates only if another thread gives the answer.
   *
   * @param last what the registration has released: the operation, or its last attachment
   */
  void answer(Registration registration, Object last) {
    int by = registration.answerer();
    if (listeners.length == 0 && by == Registration.BY_ITSELF) {
      registration.releaseBehaviour(); // there is nobody to call
      return;
    }
    Outcome outcome = registration.outcome();
    boolean expired = outcome == Outcome.TIMED_OUT || outcome == Outcome.CLOSED;
    List<Executor> executors = expired ? expirations : completions;
    if (by == Registration.BY_HELPER) {
      unanswered.add(1);
      if (!answerOnHelper(executors, registration, last)) {
        answerOn(executors, registration, last);
      }
    } else if (by == Registration.BY_EXECUTOR && !executors.isEmpty()) {
      unanswered.add(1);
      answerOn(executors, registration, last);
    } else {
      answerHere(registration, last, /* counted= */ false);
    }
  }

  /**
   * Evaluates the operation a last time on the expiration executor, and ends it, for a timeout. The
   * task refers to the registration only, so an operation that ends before is not retained.
   */
  void expireSoon(Registration registration) {
    runUnlessReleased(registration, registration, lanes == null ? null : lanes.expirations);
  }

  /** Does the same for a purgatory that closes. */
  void closeSoon(Registration registration) {
    if (lanes != null && expirations.get(0) == BY_THE_CLOCK) {
      runInLane(registration, registration, lanes.expirations, /* directly= */ true);
    } else {
      expireSoon(registration);
    }
  }

  /** Runs a periodic evaluation on the expiration executor, unless the operation has ended. */
  void recheckSoon(Registration registration, Runnable task) {
    runUnlessReleased(registration, task, lanes == null ? null : lanes.rechecks);
  }

  /**
   * Runs a task on the expiration executor that ends or answers several operations; on this thread
   * if there is no memory.
   *
   * @param what described to listeners if the executor fails
   */
  void runSoon(Object what, Runnable task) {
    if (relays && lanes != null) {
      try {
        lanes.expirations.execute(() -> runOnExecutor(what, task));
      } catch (Throwable e) {
        failed(what, EXECUTOR, e);
        task.run();
      }
    } else {
      runOnExecutor(what, task);
    }
  }

  private void runOnExecutor(Object what, Runnable task) {
    if (!handedOver(expirations, what, task)) {
      task.run();
    }
  }

  /**
   * Runs a task on the expiration executor, unless the operation was released. Without an executor
   * of the user, the lane runs the task. With one, and if the timer has a thread, the lane calls
   * its {@code execute}.
   */
  private void runUnlessReleased(Registration registration, Runnable task, @Nullable Lane lane) {
    boolean ownLane = lanes != null && expirations.get(0) == lanes.expirations;
    if (lane != null && (relays || ownLane)) {
      runInLane(registration, task, lane, ownLane);
    } else {
      runOnExecutorUnlessReleased(registration, task);
    }
  }

  /** Runs a task in a lane, directly or on the executor; on this thread if there is no memory. */
  private void runInLane(Registration registration, Runnable task, Lane lane, boolean directly) {
    try {
      Runnable call = directly ? task : () -> runOnExecutorUnlessReleased(registration, task);
      lane.execute(call instanceof Lane.Task ? call : new OfOperation(registration, call));
    } catch (Throwable e) {
      notHandedOver(registration, e);
      task.run();
    }
  }

  /** A task for an operation, unless that ends before. */
  private record OfOperation(Registration registration, Runnable task) implements Lane.Task {
    @Override
    public boolean isObsolete() {
      return registration.isObsolete();
    }

    @Override
    public void run() {
      task.run();
    }
  }

  private void runOnExecutorUnlessReleased(Registration registration, Runnable task) {
    Object operation = registration.operation();
    if (operation != null) {
      runOnExecutor(operation, task);
    }
  }

  /**
   * Hands over an answer that is counted as unanswered, to one of the executors or else this
   * thread.
   */
  private void answerOn(List<Executor> executors, Registration registration, Object last) {
    Object operation = requireNonNull(Registration.operation(last));
    boolean handedOver = false;
    try {
      handedOver =
          handedOver(
              executors,
              operation,
              () -> {
                Headroom.ensure(); // a task is an entry, too: an executor may run it anywhere
                answerHere(registration, last, /* counted= */ true);
              });
    } catch (OutOfMemoryError e) {
      failed(operation, EXECUTOR, e);
    }
    if (!handedOver) {
      answerHere(registration, last, /* counted= */ true);
    }
  }

  private boolean handedOver(List<Executor> executors, Object operation, Runnable task) {
    for (int i = 0; i < executors.size(); i++) {
      try {
        execute(executors.get(i), operation, task);
        return true;
      } catch (Throwable e) {
        failed(operation, EXECUTOR, e);
      }
    }
    return false;
  }

  private void execute(Executor executor, Object operation, Runnable task) {
    FlightEvents.Call call = FlightEvents.beginCall();
    boolean interrupted = ForeignCode.enter();
    try {
      executor.execute(task);
    } finally {
      ForeignCode.leave(interrupted);
      end(call, "executor", operation);
    }
  }

  /**
   * Gives an answer on this thread; on a helper thread if it is nested too deep.
   *
   * @param counted whether it is counted as unanswered, and other threads may get it
   */
  private void answerHere(Registration registration, Object last, boolean counted) {
    int depth = Nesting.enter();
    try {
      boolean deep = Nesting.isTooDeep(depth);
      if (!deep && !counted) {
        give(registration, last);
        return;
      }
      if (!counted) {
        unanswered.add(1);
      }
      if (!deep || !answerOnHelper(List.of(), registration, last)) {
        giveOnce(registration, last);
      }
    } finally {
      Nesting.leave(depth);
    }
  }

  private void giveOnce(Registration registration, Object last) {
    if (registration.beginAnswer()) {
      give(registration, last);
      unanswered.add(-1);
    }
  }

  private void give(Registration registration, Object last) {
    Object operation = requireNonNull(Registration.operation(last));
    try {
      observe(registration, operation, last);
    } catch (Throwable e) { // of the library: there is no memory
      failed(operation, Source.LISTENER, e);
    }
    if (registration.answerer() != Registration.BY_ITSELF) {
      FlightEvents.Call call = FlightEvents.beginCall();
      try {
        Outcome outcome = requireNonNull(registration.outcome());
        registration.behaviour().answer(operation, outcome, Attachment.cause(last));
      } catch (Throwable e) {
        failed(operation, Source.ANSWER, e);
      }
      end(call, "answer", operation);
    }
    registration.releaseBehaviour();
  }

  /**
   * Has a helper thread hand over an answer that is counted as unanswered.
   *
   * @return false if that failed
   */
  private boolean answerOnHelper(List<Executor> executors, Registration registration, Object last) {
    if (lanes == null) {
      return false;
    }
    try {
      lanes.helpers.execute(() -> answerOn(executors, registration, last));
      return true;
    } catch (Throwable e) {
      failed(requireNonNull(Registration.operation(last)), EXECUTOR, e);
      return false;
    }
  }

  /**
   * Continues the evaluation of an operation on a helper thread.
   *
   * @return false if no helper thread can be started
   */
  boolean handOverEvaluation(Registration registration) {
    if (lanes == null) {
      return false;
    }
    try {
      lanes.helpers.execute(registration::endHandedOverEvaluation);
      return true;
    } catch (Throwable e) {
      notHandedOver(registration, e);
      return false;
    }
  }

  /** Reports that no thread took a task for an operation, unless that has ended. */
  private void notHandedOver(Registration registration, Throwable error) {
    Object operation = registration.operation();
    if (operation != null) {
      failed(operation, EXECUTOR, error);
    }
  }

  /** Tells listeners and recordings of an end. */
  private void observe(Registration registration, Object operation, Object last) {
    if (registration.outcome() == Outcome.TIMED_OUT
        && registration.wasHeld()
        && FlightEvents.recordsLateTimeouts()) {
      long now = clock.getAsLong();
      long held = heldNanos(registration, operation, now);
      FlightEvents.lateTimeout(name, registration.lateNanos(now, last), held);
    }
    if (listeners.length > 0) {
      FlightEvents.Call call = FlightEvents.beginCall();
      announce(registration, operation, last);
      end(call, "listener", operation);
    }
  }

  private void end(FlightEvents.@Nullable Call call, String kind, Object operation) {
    if (call != null) {
      call.end(name, kind, operation);
    }
  }

  private void announce(Registration registration, Object operation, Object last) {
    Outcome outcome = requireNonNull(registration.outcome());
    Throwable cause = outcome == Outcome.FAILED ? Attachment.cause(last) : null;
    if (!registration.wasHeld()) {
      boolean refused =
          outcome == Outcome.CLOSED || Attachment.find(Attachment.Refusal.class, last) != null;
      if (!refused) {
        answeredAtOnce(operation, outcome, cause);
      }
      return;
    }
    long now = clock.getAsLong();
    long held = heldNanos(registration, operation, now);
    long late = registration.lateNanos(now, last);
    for (PurgatoryListener listener : listeners) {
      boolean interrupted = ForeignCode.enter();
      try {
        listener.onEnded(operation, outcome, cause, held, late);
      } catch (Throwable e) {
        failed(operation, Source.LISTENER, e);
      } finally {
        ForeignCode.leave(interrupted);
      }
    }
  }

  private static long heldNanos(Registration registration, Object operation, long now) {
    return registration.heldNanos(now, registration.behaviour().timeoutNanos(operation));
  }

  private void answeredAtOnce(Object operation, Outcome outcome, @Nullable Throwable cause) {
    for (PurgatoryListener listener : listeners) {
      boolean interrupted = ForeignCode.enter();
      try {
        listener.onAnsweredAtOnce(operation, outcome, cause);
      } catch (Throwable e) {
        failed(operation, Source.LISTENER, e);
      } finally {
        ForeignCode.leave(interrupted);
      }
    }
  }

  /** Tells listeners that an operation is held. */
  void held(Registration registration) {
    Object operation = listeners.length > 0 ? registration.operation() : null;
    if (operation == null) {
      return;
    }
    FlightEvents.Call call = FlightEvents.beginCall();
    for (PurgatoryListener listener : listeners) {
      boolean interrupted = ForeignCode.enter();
      try {
        listener.onHeld(operation);
      } catch (Throwable e) {
        failed(operation, Source.LISTENER, e);
      } finally {
        ForeignCode.leave(interrupted);
      }
    }
    end(call, "listener", operation);
  }

  /** Tells listeners of a signal. */
  void signalled(Object key, boolean foundKey, int completed) {
    FlightEvents.Call call = FlightEvents.beginCall();
    for (PurgatoryListener listener : listeners) {
      boolean interrupted = ForeignCode.enter();
      try {
        listener.onSignalled(key, foundKey, completed);
      } catch (Throwable e) {
        failed(key, Source.LISTENER, e);
      } finally {
        ForeignCode.leave(interrupted);
      }
    }
    end(call, "listener", key);
  }

  /** Tells listeners that an operation is refused. */
  void refused(Object operation, RuntimeException reason) {
    boolean limited = reason instanceof LimitExceededException;
    FlightEvents.rejection(name, limited ? "limit" : "closed", reason);
    for (PurgatoryListener listener : listeners) {
      boolean interrupted = ForeignCode.enter();
      try {
        listener.onRefused(operation, reason);
      } catch (Throwable e) {
        failed(operation, Source.LISTENER, e);
      } finally {
        ForeignCode.leave(interrupted);
      }
    }
  }

  /** Reports an exception of the user's code. */
  void failed(Object operation, Source source, Throwable error) {
    if (source == EXECUTOR) {
      FlightEvents.rejection(name, "executor", error);
    }
    for (PurgatoryListener listener : listeners.length > 0 ? listeners : LOGGING) {
      boolean interrupted = ForeignCode.enter();
      try {
        listener.onError(operation, source, error);
      } catch (Throwable e) {
        LISTENER_THREW.accept(e);
        NOT_TOLD.accept(error);
      } finally {
        ForeignCode.leave(interrupted);
      }
    }
  }
}
