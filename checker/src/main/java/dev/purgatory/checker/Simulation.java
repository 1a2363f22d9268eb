package dev.purgatory.checker;

import static dev.purgatory.checker.Invariant.CALLBACKS_APART;
import static dev.purgatory.checker.Invariant.CLOSED_FOR_GOOD;
import static dev.purgatory.checker.Invariant.EXACT_COUNT;
import static dev.purgatory.checker.Invariant.NEVER_EARLY;
import static dev.purgatory.checker.Invariant.RETURN_VALUES;

import dev.purgatory.Outcome;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Performs the steps on one thread, in virtual time, on a real purgatory and its real timer, and
 * compares them with a {@link Model} after each step.
 */
final class Simulation extends OperationRun {
  /** Deeper callbacks run on helper threads, in an order that the seed does not determine. */
  private static final int MOST_NESTED = 10;

  private final List<OperationPlan> plans;
  private final Model model;
  private int reacting;
  private boolean sealed;
  private long trace;

  Simulation(OperationSetup setup, Tally tally) {
    super(setup, tally, setup.settings().completions(), setup.settings().expirations());
    plans = setup.plans();
    model = new Model(this);
  }

  @Override
  public void verify() {
    violations.verify();
    reports.verify();
    model.verify();
  }

  /** Stops the faults, lets time pass, and closes the purgatory. */
  @Override
  public void end() {
    calm = true;
    runTasks(0);
    verify();
    model.requireProgress(time -> advance(time - reading.get()), () -> runTasks(0));
    closePurgatory();
    runTasks(0);
    sealed = true;
    model.requireEmpty();
    subjects.forEach(this::requireEnd);
    Subject late = new Subject(-1, plans.get(0), this);
    refuses(() -> purgatory.hold(late, plainKey()), IllegalStateException.class);
    Finding.unless(!late.hasEnded(), CLOSED_FOR_GOOD, "a refused operation has ended");
    plans.forEach(plan -> plan.keys().forEach(this::signal));
    verify();
    Patience.awaitNoFinding( // an interrupted close() leaves helper threads running
        () -> Subject.requireUnreachable(List.of(purgatory, timer), userObjects()));
    timer.close();
  }

  private void requireEnd(Subject subject) {
    if (subject.held) {
      Finding.unless(subject.hasEnded(), CLOSED_FOR_GOOD, subject + " has not ended");
    }
    if (!model.mayBeUnanswered(subject)) {
      subject.requireAnswered();
    }
  }

  // The steps.

  @Override
  void add(int operation) {
    Subject subject = subject(operation);
    if (subject.added || closing) {
      refuses(() -> purgatory.hold(subject, plainKey()), IllegalStateException.class);
      return;
    }
    boolean ended = subject.hasEnded();
    subject.added = true;
    subject.addedAt = model.now(reading.get());
    model.adding(subject);
    try {
      boolean completed = purgatory.hold(subject, subject.plan.keys());
      boolean mayBe = !ended && subject.isCompleted();
      require(!completed || mayBe, RETURN_VALUES, subject + " is reported as completed");
      model.added(subject, reading.get());
    } catch (Key.Unusable | IllegalStateException e) {
      model.refused(subject, e);
    }
  }

  @Override
  void setReady(int operation, boolean ready) {
    subject(operation).ready = ready;
  }

  @Override
  void signal(Key key) {
    if (key.isUnusable()) {
      refuses(() -> purgatory.signal(key), Key.Unusable.class);
      return;
    }
    model.signalled(key);
    int before = model.completed();
    int completed = purgatory.signal(key);
    int most = model.completed() - before;
    boolean right = reactive ? completed <= most : completed == most;
    require(right, RETURN_VALUES, "signal() returned " + completed + " of " + most);
  }

  @Override
  void complete(int operation) {
    Subject subject = subject(operation);
    boolean ends = !subject.hasEnded();
    subject.completedByHand |= ends;
    subject.endedBeforeAdded |= ends && !subject.added;
    require(subject.complete() == ends, RETURN_VALUES, "complete() of " + subject);
    require(subject.hasEnded(), RETURN_VALUES, subject + " has not ended");
  }

  @Override
  void cancel(int operation) {
    Subject subject = subject(operation);
    boolean ends = !subject.hasEnded();
    subject.endedBeforeAdded |= ends && !subject.added;
    require(subject.cancel() == ends, RETURN_VALUES, "cancel() of " + subject);
    require(subject.hasEnded(), RETURN_VALUES, subject + " has not ended");
  }

  @Override
  void cancelForKey(Key key) {
    if (key.isUnusable()) {
      refuses(() -> purgatory.cancelForKey(key), Key.Unusable.class);
      return;
    }
    cancelled(model.waiting(key), purgatory.cancelForKey(key));
  }

  @Override
  void cancelAll() {
    cancelled(model.held(), purgatory.cancelAll());
  }

  /** Reactions may end and add other operations during the call. */
  private void cancelled(Set<Subject> expected, List<Object> cancelled) {
    Set<Object> distinct = new HashSet<>(cancelled);
    boolean right = distinct.size() == cancelled.size() && (reactive || distinct.equals(expected));
    require(right, RETURN_VALUES, "cancelled " + cancelled + " of " + expected);
    for (Object each : cancelled) {
      require(((Subject) each).isCancelled(), RETURN_VALUES, each + " is not cancelled");
    }
  }

  @Override
  void pass(long nanos) {
    super.pass(nanos);
    model.passedTo(reading.get());
  }

  @Override
  void advance(long nanos) {
    pass(nanos);
    model.advancing(reading.get());
    timer.advance();
  }

  @Override
  void runTasks(long order) {
    FaultyExecutor completing = Objects.requireNonNull(completions);
    FaultyExecutor expiring = Objects.requireNonNull(expirations);
    while (completing.hasTasks() || expiring.hasTasks()) {
      completing.runAll(order);
      expiring.runAll(order);
    }
    model.ranTasks();
  }

  @Override
  void closeTimer() {
    timer.close();
    timerClosed = true;
  }

  // Callbacks, the listener and the executors.

  @Override
  boolean mayExpire(Subject subject) {
    return model.mayExpire(subject, reading.get());
  }

  @Override
  boolean isHeard(Subject subject) {
    return !subject.endedBeforeAdded;
  }

  @Override
  void thrownByExecutor(Throwable failure) {
    reports.thrown(failure);
  }

  @Override
  void called(Subject subject, String callback) {
    trace(subject, callback);
    super.called(subject, callback);
    require(!sealed, CLOSED_FOR_GOOD, callback + " of " + subject + " after close()");
    require(purgatory.pending() == model.held().size(), EXACT_COUNT, "pending() in a " + callback);
  }

  /** Ignores the time once faults have stopped, as it then depends on how long purges take. */
  private void trace(Subject subject, String event) {
    trace = 31 * trace + Objects.hash(subject.number, event, calm ? 0 : reading.get());
  }

  @Override
  long trace() {
    return trace;
  }

  @Override
  void react(Subject subject, Reaction reaction) {
    if (reacting == MOST_NESTED) {
      return;
    }
    reacting++;
    try {
      super.react(subject, reaction);
    } finally {
      reacting--;
    }
  }

  @Override
  public void onHeld(Object operation) {
    super.onHeld(operation);
    heard((Subject) operation, "held");
  }

  @Override
  public void onEnded(
      Object operation,
      Outcome outcome,
      @Nullable Throwable cause,
      long heldNanos,
      long lateNanos) {
    Callback.begin(violations, "the listener");
    Subject subject = (Subject) operation;
    heard(subject, outcome.toString());
    boolean early = outcome == Outcome.TIMED_OUT && lateNanos < 0 && !subject.isDueAtOnce();
    require(!early && heldNanos >= 0, NEVER_EARLY, subject + " expired " + -lateNanos + " early");
  }

  private void heard(Subject subject, String event) {
    trace(subject, event);
    boolean next = model.isNextEvent(subject, event);
    require(next, CALLBACKS_APART, "the listener gets " + event + " of " + subject);
    if (settings.listenerThrows() && !calm) {
      IllegalStateException failure = new IllegalStateException("provoked by the listener");
      reports.thrown(failure);
      throw failure;
    }
  }

  @Override
  public void onError(Object operation, Source source, Throwable error) {
    super.onError(operation, source, error);
    if (settings.listenerThrows() && !calm) {
      throw new IllegalStateException("provoked by onError");
    }
  }
}
