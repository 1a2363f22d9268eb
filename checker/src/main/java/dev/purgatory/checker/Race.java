package dev.purgatory.checker;

import static dev.purgatory.checker.Invariant.CLOSED_FOR_GOOD;
import static dev.purgatory.checker.Invariant.EXACT_COUNT;
import static dev.purgatory.checker.Invariant.PROGRESS;
import static dev.purgatory.checker.Invariant.RELEASED;

import dev.purgatory.checker.Settings.Behaviour;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** Performs the steps on several threads, and checks the operations when all are idle. */
final class Race extends OperationRun {
  private final History history = new History();
  private final TimerCheck timerCheck;
  private final WatchListsCheck listsCheck;

  /** Executors that drop or queue tasks are replaced, as an answer would be missing at the end. */
  Race(OperationSetup setup, Tally tally) {
    super(
        setup,
        tally,
        setup.settings().completions() == Behaviour.DROPPING
            ? null
            : unlessQueued(setup.settings().completions()),
        setup.settings().expirations() == Behaviour.DROPPING
            ? Behaviour.REJECTING
            : unlessQueued(setup.settings().expirations()));
    timerCheck = new TimerCheck(timer);
    listsCheck = new WatchListsCheck(purgatory);
    subjects.stream().filter(subject -> subject.ready).forEach(history::ready);
  }

  private static @Nullable Behaviour unlessQueued(Behaviour behaviour) {
    return behaviour == Behaviour.QUEUED ? null : behaviour;
  }

  @Override
  public void verify() {
    timer.advance();
    awaitQuiet();
    Patience.awaitNoFinding(this::compare);
  }

  /** Waits until the purgatory's own threads seem to be idle. Nearly always, they are. */
  private void awaitQuiet() {
    for (long before = -1; before != history.moments(); ) {
      before = history.moments();
      internals.awaitPools();
    }
    listsCheck.awaitPurge();
  }

  private void compare() {
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
  @Override
  public void end() {
    calm = true;
    subjects.forEach(subject -> subject.ready = true);
    for (Subject subject : subjects) {
      subject.plan.keys().forEach(this::signal);
    }
    awaitQuiet();
    Patience.await(
        () -> purgatory.pending() == 0,
        () -> new Finding(PROGRESS, purgatory.pending() + " operations are left"));
    purgatory.inspect().purge();
    listsCheck.awaitPurge();
    Finding.unless(
        purgatory.inspect().watched() == 0 && purgatory.inspect().keys() == 0,
        RELEASED,
        purgatory.inspect().watched()
            + " registrations and "
            + purgatory.inspect().keys()
            + " keys are left");
    purgatory.close();
    timer.close();
    Patience.awaitNoFinding(
        () -> Subject.requireUnreachable(List.of(purgatory, timer), userObjects()));
    violations.verify();
  }

  // The steps.

  @Override
  void add(int operation) {
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

  /** Never resets it, so that an operation that was ready once has to end. */
  @Override
  void setReady(int operation, boolean ready) {
    Subject subject = subject(operation);
    if (ready && !subject.ready) {
      subject.ready = true;
      history.ready(subject);
    }
  }

  @Override
  void signal(Key key) {
    if (!key.isUnusable()) {
      history.signals(key);
      history.completed(purgatory.signal(key));
    }
  }

  @Override
  void complete(int operation) {
    Subject subject = subject(operation);
    subject.completedByHand = true;
    boolean own = subject.isEvaluatedHere(); // the call that evaluates reports it then
    if (subject.complete()) {
      history.completed(own ? 0 : 1);
      history.ended(subject);
    }
  }

  @Override
  void cancel(int operation) {
    Subject subject = subject(operation);
    if (subject.cancel()) {
      history.ended(subject);
    }
  }

  @Override
  void cancelForKey(Key key) {
    if (!key.isUnusable()) {
      cancelled(purgatory.cancelForKey(key));
    }
  }

  @Override
  void cancelAll() {
    cancelled(purgatory.cancelAll());
  }

  private void cancelled(List<Object> cancelled) {
    cancelled.forEach(subject -> history.ended((Subject) subject));
  }

  /** Clocks that run backwards are tested by simulations. */
  @Override
  void pass(long nanos) {
    super.pass(Math.max(0, nanos));
  }

  // Callbacks, the listener and the executors.

  @Override
  boolean mayExpire(Subject subject) {
    return subject.isDueAtOnce() || timer.now() >= subject.earliestExpiry();
  }

  /** The failures of an operation that is not held are not reported to this listener. */
  @Override
  boolean isHeard(Subject subject) {
    return subject.held;
  }

  @Override
  void thrownByExecutor(Throwable failure) {
    // It may belong to an operation that is not held.
  }

  @Override
  void called(Subject subject, String callback) {
    history.moment();
    super.called(subject, callback);
  }

  @Override
  void reported(Subject subject, Throwable error) {
    if (subject.held && !(error instanceof RejectedExecutionException)) {
      super.reported(subject, error);
    }
  }
}
