package dev.purgatory.checker;

import static dev.purgatory.checker.Invariant.CLOSED_FOR_GOOD;
import static dev.purgatory.checker.Invariant.EXACT_COUNT;
import static dev.purgatory.checker.Invariant.FAILURES_STAY_APART;
import static dev.purgatory.checker.Invariant.NEVER_EARLY;
import static dev.purgatory.checker.Invariant.NO_LOCK_HELD;
import static dev.purgatory.checker.Invariant.ONCE;
import static dev.purgatory.checker.Invariant.PROGRESS;
import static dev.purgatory.checker.Invariant.RELEASED;
import static dev.purgatory.checker.Invariant.STACK_DEPTH;

import dev.purgatory.Outcome;
import dev.purgatory.Purgatory;
import dev.purgatory.PurgatoryBuilder;
import dev.purgatory.PurgatoryListener;
import dev.purgatory.checker.Settings.Behaviour;
import dev.purgatory.timer.Timer;
import dev.purgatory.timer.TimerView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;

/** Runs the steps of a program on several threads, and checks the operations when all are idle. */
final class Race implements Action.Actor, Subject.Owner, PurgatoryListener {
  private static final int THREADS = 3;

  private final Program program;
  private final Tally tally;
  private final boolean reactive;
  private final AtomicLong reading = new AtomicLong();
  private final History history = new History();
  private final Violations violations = new Violations();
  private final Reports reports = new Reports();
  private final Timer timer;
  private final Purgatory<Key> purgatory;
  private final Internals internals;
  private final TimerCheck timerCheck;
  private final WatchListsCheck listsCheck;
  private final List<Subject> subjects = new ArrayList<>();
  private volatile boolean closing;
  private volatile boolean calm;

  Race(Program program, Tally tally) {
    this.program = program;
    this.tally = tally;
    reactive = program.operations().stream().anyMatch(OperationPlan::reacts);
    Settings settings = program.settings();
    timer =
        TimerView.stripes(Timer.builder(), settings.stripes())
            .ticker(() -> settings.origin() + reading.get())
            .tick(Duration.ofNanos(settings.tickNanos()))
            .wheelSize(settings.wheelSize())
            .errorHandler(e -> require(false, FAILURES_STAY_APART, "the timer reports " + e))
            .build();
    purgatory = purgatory(settings);
    internals = new Internals(purgatory, timer, List.of(this));
    timerCheck = new TimerCheck(timer);
    listsCheck = new WatchListsCheck(purgatory);
    for (OperationPlan plan : program.operations()) {
      Subject subject = new Subject(subjects.size(), plan, this);
      subjects.add(subject);
      if (plan.ready()) {
        history.ready(subject);
      }
    }
  }

  /** Executors that drop or queue tasks are replaced, as an answer would be missing at the end. */
  private Purgatory<Key> purgatory(Settings settings) {
    PurgatoryBuilder builder = Purgatory.builder("raced");
    builder.timer(timer).purgeInterval(settings.purgeInterval()).listener(this);
    if (settings.completions() != Behaviour.DROPPING
        && settings.completions() != Behaviour.QUEUED) {
      builder.completionExecutor(new FaultyExecutor(settings.completions(), e -> {}));
    }
    if (settings.expirations() != Behaviour.QUEUED) {
      boolean dropping = settings.expirations() == Behaviour.DROPPING;
      Behaviour behaviour = dropping ? Behaviour.REJECTING : settings.expirations();
      Executor executor = new FaultyExecutor(behaviour, e -> {});
      builder.expirationExecutor(executor);
    }
    return builder.build();
  }

  /**
   * Runs the program.
   *
   * @throws Finding if an invariant does not hold
   */
  void run(Crew crew) throws InterruptedException {
    List<Runnable> tasks = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      int thread = i;
      tasks.add(() -> work(thread));
    }
    crew.race(tasks);
    timer.advance();
    awaitQuiet();
    Patience.awaitNoFinding(this::verify);
    end();
  }

  private void work(int thread) {
    List<Action> steps = program.steps();
    for (int i = thread; i < steps.size(); i += THREADS) {
      tally.step();
      steps.get(i).by(this);
    }
  }

  /** Waits until the purgatory's own threads seem to be idle. Nearly always, they are. */
  private void awaitQuiet() {
    for (long before = -1; before != history.moments(); ) {
      before = history.moments();
      internals.awaitPools();
    }
    listsCheck.awaitPurge();
  }

  // What has to hold.

  private void verify() {
    violations.verify();
    reports.verify();
    Set<Subject> held = new HashSet<>();
    subjects.stream().filter(Subject::isHeld).forEach(held::add);
    Finding.unless(
        purgatory.pending() == held.size(),
        EXACT_COUNT,
        "pending() is " + purgatory.pending() + ", held: " + held);
    Set<Object> entries = timerCheck.operations();
    Set<Subject> timed = new HashSet<>(held);
    timed.removeIf(subject -> !subject.isTimed());
    Finding.unless(entries.equals(timed), RELEASED, "in the timer: " + entries + ", not " + timed);
    Set<Object> waiting = new HashSet<>();
    listsCheck.operations().values().forEach(waiting::addAll);
    Finding.unless(waiting.equals(held), RELEASED, "on the lists: " + waiting + ", not " + held);
    subjects.forEach(Subject::requireAnswered);
    Finding.unless(!closing || held.isEmpty(), CLOSED_FOR_GOOD, "still held: " + held);
    history.verify(subjects, !reactive);
  }

  /** Makes everything ready, signals all keys, and closes the purgatory. */
  private void end() {
    calm = true;
    subjects.forEach(subject -> subject.ready = true);
    for (Subject subject : subjects) {
      subject.plan.keys().forEach(this::signal);
    }
    awaitQuiet();
    Patience.await(
        () -> purgatory.pending() == 0,
        () -> new Finding(PROGRESS, purgatory.pending() + " operations are left"));
    purgatory.purge();
    listsCheck.awaitPurge();
    Finding.unless(
        purgatory.watched() == 0 && purgatory.keys() == 0,
        RELEASED,
        purgatory.watched() + " registrations and " + purgatory.keys() + " keys are left");
    purgatory.close();
    timer.close();
    Patience.awaitNoFinding(
        () -> Subject.requireUnreachable(List.of(purgatory, timer), List.of(this)));
    violations.verify();
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
    long since = history.moment();
    noteTime(subject, timer.now());
    try {
      boolean completed = purgatory.hold(subject, subject.plan.keys());
      history.completed(completed ? 1 : 0);
      history.added(subject, since);
    } catch (IllegalStateException | Key.Unusable e) {
      // Another thread has added it, the purgatory is closed, or a key throws.
    }
  }

  /** If several threads add it, the one that succeeds began at the earliest time or later. */
  private void noteTime(Subject subject, long now) {
    synchronized (subject) {
      subject.addedAt = subject.added ? Math.min(subject.addedAt, now) : now;
      subject.added = true;
    }
  }

  @Override
  public void addBadly(int operation, Action.Mistake mistake) {
    // Simulations test this.
  }

  /** Never resets it, so that an operation that was ready once has to end. */
  @Override
  public void setReady(int operation, boolean ready) {
    Subject subject = subject(operation);
    if (ready && !subject.ready) {
      subject.ready = true;
      history.ready(subject);
    }
  }

  @Override
  public void signal(Key key) {
    if (!key.isUnusable()) {
      history.signals(key);
      history.completed(purgatory.signal(key));
    }
  }

  @Override
  public void complete(int operation) {
    Subject subject = subject(operation);
    subject.completedByHand = true;
    boolean own = subject.isEvaluatedHere(); // the call that evaluates reports it then
    if (subject.complete()) {
      history.completed(own ? 0 : 1);
      history.ended(subject);
    }
  }

  @Override
  public void cancel(int operation) {
    Subject subject = subject(operation);
    if (subject.cancel()) {
      history.ended(subject);
    }
  }

  @Override
  public void cancelForKey(Key key) {
    if (!key.isUnusable()) {
      cancelled(purgatory.cancelForKey(key));
    }
  }

  @Override
  public void cancelAll() {
    cancelled(purgatory.cancelAll());
  }

  private void cancelled(List<Object> cancelled) {
    cancelled.forEach(subject -> history.ended((Subject) subject));
  }

  @Override
  public void purge() {
    purgatory.purge();
  }

  /** Clocks that run backwards are tested by simulations. */
  @Override
  public void pass(long nanos) {
    reading.addAndGet(Math.max(0, nanos));
  }

  @Override
  public void advance(long nanos) {
    pass(nanos);
    timer.advance();
  }

  @Override
  public void runTasks(long order) {
    // No executor queues tasks.
  }

  @Override
  public void closeTimer() {
    // Operations would never expire.
  }

  @Override
  public void close() {
    closing = true;
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
    history.moment();
    require(!internals.isLockHeld(), NO_LOCK_HELD, callback + " of " + subject);
    require(StackDepth.isBounded(), STACK_DEPTH, callback + " of " + subject);
    if (callback.equals("onOutcome")) {
      requireReason(subject);
    }
  }

  private void requireReason(Subject subject) {
    Outcome outcome = Objects.requireNonNull(subject.outcome());
    boolean reason =
        switch (outcome) {
          case COMPLETED -> subject.completedByHand || subject.wasReady;
          case TIMED_OUT -> subject.isDueAtOnce() || timer.now() >= subject.earliestExpiry();
          case CLOSED -> closing;
          case CANCELLED -> true;
          case FAILED -> subject.hasFailedForAReason(/* timerClosed= */ false);
        };
    String what = subject + ": " + outcome + " without a reason";
    require(reason, outcome == Outcome.TIMED_OUT ? NEVER_EARLY : ONCE, what);
  }

  @Override
  public void react(Subject subject, Reaction reaction) {
    if (calm || reaction.isNone()) {
      return;
    }
    tally.reaction();
    reaction.actions().forEach(action -> action.by(this));
    if (reaction.failure() != null) {
      raise(subject, reaction.failure().make());
    }
  }

  /** The failures of an operation that is not held are not reported to this listener. */
  private void raise(Subject subject, Throwable failure) {
    if (subject.held && !subject.isEvaluatedHere()) {
      reports.thrown(failure);
    }
    Reaction.raise(failure);
  }

  @Override
  public void onHeld(Object subject) {
    ((Subject) subject).held = true;
  }

  @Override
  public void onError(Object operation, Source source, Throwable error) {
    Subject subject = (Subject) operation;
    if (error instanceof Finding finding) {
      violations.add(finding);
    } else if (source == Source.CONDITION) {
      subject.reportFailure(error);
    } else if (subject.held && !(error instanceof RejectedExecutionException)) {
      reports.reported(error);
    }
  }
}
