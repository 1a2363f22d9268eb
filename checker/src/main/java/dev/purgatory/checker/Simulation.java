package dev.purgatory.checker;

import static dev.purgatory.checker.Invariant.CALLBACKS_APART;
import static dev.purgatory.checker.Invariant.CLOSED_FOR_GOOD;
import static dev.purgatory.checker.Invariant.EXACT_COUNT;
import static dev.purgatory.checker.Invariant.FAILURES_STAY_APART;
import static dev.purgatory.checker.Invariant.NEVER_EARLY;
import static dev.purgatory.checker.Invariant.NO_LOCK_HELD;
import static dev.purgatory.checker.Invariant.ONCE;
import static dev.purgatory.checker.Invariant.RETURN_VALUES;
import static dev.purgatory.checker.Invariant.STACK_DEPTH;

import dev.purgatory.Outcome;
import dev.purgatory.Purgatory;
import dev.purgatory.PurgatoryListener;
import dev.purgatory.timer.Timer;
import dev.purgatory.timer.TimerView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Runs a program on one thread, in virtual time, on a real purgatory and its real timer, and
 * compares them with a {@link Model} after each step.
 */
final class Simulation implements Action.Actor, Subject.Owner, PurgatoryListener {
  /** Deeper callbacks run on helper threads, in an order that the seed does not determine. */
  private static final int MOST_NESTED = 10;

  private final Program program;
  private final Tally tally;
  private final boolean reactive;
  private final Reports reports = new Reports();
  private final Violations violations = new Violations();
  private final FaultyExecutor completions;
  private final FaultyExecutor expirations;
  private final Timer timer;
  private final Purgatory<Key> purgatory;
  private final List<Subject> subjects = new ArrayList<>();
  private final Internals internals;
  private final Model model;
  private long reading;
  private boolean calm;
  private int reacting;
  private boolean sealed;
  private long trace;

  Simulation(Program program, Tally tally) {
    this.program = program;
    this.tally = tally;
    reactive = program.operations().stream().anyMatch(OperationPlan::reacts);
    Settings settings = program.settings();
    completions = new FaultyExecutor(settings.completions(), reports::thrown);
    expirations = new FaultyExecutor(settings.expirations(), reports::thrown);
    timer =
        TimerView.stripes(Timer.builder(), settings.stripes())
            .ticker(() -> settings.origin() + reading)
            .tick(Duration.ofNanos(settings.tickNanos()))
            .wheelSize(settings.wheelSize())
            .errorHandler(e -> require(false, FAILURES_STAY_APART, "the timer reports " + e))
            .build();
    purgatory =
        Purgatory.builder("checked")
            .timer(timer)
            .completionExecutor(completions)
            .expirationExecutor(expirations)
            .purgeInterval(settings.purgeInterval())
            .listener(this)
            .build();
    for (OperationPlan plan : program.operations()) {
      subjects.add(new Subject(subjects.size(), plan, this));
    }
    internals = new Internals(purgatory, timer, List.of(this, completions, expirations));
    model = new Model(settings, purgatory, timer, subjects);
  }

  /**
   * Runs the program.
   *
   * @return a hash of what happened
   * @throws Finding if an invariant does not hold
   */
  long run() {
    for (Action step : program.steps()) {
      tally.step();
      step.by(this);
      verify();
    }
    end();
    return trace;
  }

  private void verify() {
    violations.verify();
    reports.verify();
    model.verify();
  }

  /** Stops the faults, lets time pass, and closes the purgatory. */
  private void end() {
    calm = true;
    runTasks(0);
    verify();
    model.requireProgress(time -> advance(time - reading), () -> runTasks(0));
    close();
    runTasks(0);
    sealed = true;
    model.requireEmpty();
    subjects.forEach(this::requireEnd);
    Subject late = new Subject(-1, program.operations().get(0), this);
    refuses(() -> purgatory.hold(late, plainKey()), IllegalStateException.class);
    Finding.unless(!late.hasEnded(), CLOSED_FOR_GOOD, "a refused operation has ended");
    program.operations().forEach(plan -> plan.keys().forEach(this::signal));
    verify();
    internals.awaitPools(); // which an interrupted close() leaves running
    Subject.requireUnreachable(List.of(purgatory, timer), List.of(this, completions, expirations));
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
  public void interrupted(Action action) {
    Thread.currentThread().interrupt();
    action.by(this);
    require(Thread.interrupted(), FAILURES_STAY_APART, "an interrupt is lost");
  }

  private Subject subject(int number) {
    return subjects.get(number % subjects.size());
  }

  @Override
  public void add(int operation) {
    Subject subject = subject(operation);
    if (subject.added || model.isClosing()) {
      refuses(() -> purgatory.hold(subject, plainKey()), IllegalStateException.class);
      return;
    }
    boolean ended = subject.hasEnded();
    subject.added = true;
    subject.addedAt = model.now(reading);
    model.adding(subject);
    try {
      boolean completed = purgatory.hold(subject, subject.plan.keys());
      boolean mayBe = !ended && subject.isCompleted();
      require(!completed || mayBe, RETURN_VALUES, subject + " is reported as completed");
      model.added(subject, reading);
    } catch (Key.Unusable | IllegalStateException e) {
      model.refused(subject, e);
    }
  }

  @Override
  @SuppressWarnings("NullAway") // Invalid arguments.
  public void addBadly(int operation, Action.Mistake mistake) {
    Subject subject = subject(operation);
    switch (mistake) {
      case NO_KEYS ->
          refuses(() -> purgatory.hold(subject, Set.of()), IllegalArgumentException.class);
      case NULL_KEY ->
          refuses(
              () -> purgatory.hold(subject, Arrays.asList(plainKey().get(0), null)),
              NullPointerException.class);
      case NULL_KEYS ->
          refuses(() -> purgatory.hold(subject, (List<Key>) null), NullPointerException.class);
      case NULL_OPERATION ->
          refuses(() -> purgatory.hold((Subject) null, plainKey()), NullPointerException.class);
    }
  }

  private static List<Key> plainKey() {
    return List.of(new Key(0, Key.Kind.PLAIN));
  }

  private void refuses(Runnable call, Class<? extends RuntimeException> expected) {
    @Nullable RuntimeException refusal = null;
    try {
      call.run();
    } catch (RuntimeException e) {
      refusal = e;
    }
    require(expected.isInstance(refusal), RETURN_VALUES, "not the expected exception: " + refusal);
  }

  @Override
  public void setReady(int operation, boolean ready) {
    subject(operation).ready = ready;
  }

  @Override
  public void signal(Key key) {
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
  public void complete(int operation) {
    Subject subject = subject(operation);
    boolean ends = !subject.hasEnded();
    subject.completedByHand |= ends;
    subject.endedBeforeAdded |= ends && !subject.added;
    require(subject.complete() == ends, RETURN_VALUES, "complete() of " + subject);
    require(subject.hasEnded(), RETURN_VALUES, subject + " has not ended");
  }

  @Override
  public void cancel(int operation) {
    Subject subject = subject(operation);
    boolean ends = !subject.hasEnded();
    subject.endedBeforeAdded |= ends && !subject.added;
    require(subject.cancel() == ends, RETURN_VALUES, "cancel() of " + subject);
    require(subject.hasEnded(), RETURN_VALUES, subject + " has not ended");
  }

  @Override
  public void cancelForKey(Key key) {
    if (key.isUnusable()) {
      refuses(() -> purgatory.cancelForKey(key), Key.Unusable.class);
      return;
    }
    cancelled(model.waiting(key), purgatory.cancelForKey(key));
  }

  @Override
  public void cancelAll() {
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
  public void purge() {
    purgatory.purge();
  }

  @Override
  public void pass(long nanos) {
    reading += nanos;
    model.passedTo(reading);
  }

  @Override
  public void advance(long nanos) {
    pass(nanos);
    model.advancing(reading);
    timer.advance();
  }

  @Override
  public void runTasks(long order) {
    while (completions.hasTasks() || expirations.hasTasks()) {
      completions.runAll(order);
      expirations.runAll(order);
    }
    model.ranTasks();
  }

  @Override
  public void closeTimer() {
    timer.close();
    model.timerClosed();
  }

  @Override
  public void close() {
    model.closing();
    purgatory.close();
  }

  // Callbacks and the listener.

  @Override
  public void require(boolean condition, Invariant invariant, String details) {
    violations.require(condition, invariant, details);
  }

  @Override
  public void called(Subject subject, String callback) {
    tally.callback();
    trace(subject, callback);
    require(!internals.isLockHeld(), NO_LOCK_HELD, callback + " of " + subject);
    require(StackDepth.isBounded(), STACK_DEPTH, callback + " of " + subject);
    require(!sealed, CLOSED_FOR_GOOD, callback + " of " + subject + " after close()");
    require(purgatory.pending() == model.held().size(), EXACT_COUNT, "pending() in a " + callback);
    if (callback.equals("onOutcome")) {
      requireReason(subject);
    }
  }

  private void requireReason(Subject subject) {
    boolean reason =
        switch (Objects.requireNonNull(subject.outcome())) {
          case COMPLETED -> subject.completedByHand || subject.wasReady;
          case TIMED_OUT -> model.mayExpire(subject, reading);
          case CLOSED -> model.isClosing();
          case CANCELLED -> true;
          case FAILED -> subject.hasFailedForAReason(model.isTimerClosed());
        };
    String what = subject + ": " + subject.outcome() + " without a reason";
    require(reason, subject.isExpired() ? NEVER_EARLY : ONCE, what);
  }

  /** Ignores the time once faults have stopped, as it then depends on how long purges take. */
  private void trace(Subject subject, String event) {
    trace = 31 * trace + Objects.hash(subject.number, event, calm ? 0 : reading);
  }

  @Override
  public void react(Subject subject, Reaction reaction) {
    if (calm || reaction.isNone() || reacting == MOST_NESTED) {
      return;
    }
    tally.reaction();
    reacting++;
    try {
      reaction.actions().forEach(action -> action.by(this));
    } finally {
      reacting--;
    }
    if (reaction.failure() != null) {
      raise(subject, reaction.failure().make());
    }
  }

  private void raise(Subject subject, Throwable failure) {
    if (!subject.endedBeforeAdded && !subject.isEvaluatedHere()) {
      reports.thrown(failure);
    }
    Reaction.raise(failure);
  }

  @Override
  public void onHeld(Object operation) {
    Subject subject = (Subject) operation;
    subject.held = true;
    heard(subject, "held");
  }

  @Override
  public void onEnded(
      Object operation,
      Outcome outcome,
      @Nullable Throwable cause,
      long heldNanos,
      long lateNanos) {
    Subject subject = (Subject) operation;
    heard(subject, outcome.toString());
    boolean early = outcome == Outcome.TIMED_OUT && lateNanos < 0 && !subject.isDueAtOnce();
    require(!early && heldNanos >= 0, NEVER_EARLY, subject + " expired " + -lateNanos + " early");
  }

  private void heard(Subject subject, String event) {
    trace(subject, event);
    boolean next = model.isNextEvent(subject, event);
    require(next, CALLBACKS_APART, "the listener is told that " + subject + " is " + event);
    if (program.settings().listenerThrows() && !calm) {
      IllegalStateException failure = new IllegalStateException("provoked by the listener");
      reports.thrown(failure);
      throw failure;
    }
  }

  @Override
  public void onError(Object operation, Source source, Throwable error) {
    if (error instanceof Finding finding) {
      violations.add(finding);
    } else if (source == Source.CONDITION) {
      ((Subject) operation).reportFailure(error);
    } else {
      reports.reported(error);
    }
    if (program.settings().listenerThrows() && !calm) {
      throw new IllegalStateException("provoked by onError");
    }
  }
}
