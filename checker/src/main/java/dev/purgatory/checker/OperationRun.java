package dev.purgatory.checker;

import static dev.purgatory.checker.Invariant.FAILURES_STAY_APART;
import static dev.purgatory.checker.Invariant.NEVER_EARLY;
import static dev.purgatory.checker.Invariant.NO_LOCK_HELD;
import static dev.purgatory.checker.Invariant.ONCE;
import static dev.purgatory.checker.Invariant.RETURN_VALUES;

import dev.purgatory.Outcome;
import dev.purgatory.Purgatory;
import dev.purgatory.PurgatoryBuilder;
import dev.purgatory.PurgatoryListener;
import dev.purgatory.WatchListsView;
import dev.purgatory.checker.Settings.Behaviour;
import dev.purgatory.timer.Timer;
import dev.purgatory.timer.TimerView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A run of a program that uses one purgatory and its timer. Steps identify operations by number.
 * Callbacks of the operations perform steps, too.
 */
abstract class OperationRun implements Run, PurgatoryListener {

  /** The clock reads no later time before the faults have stopped: some 219 years. */
  static final long LATEST = Long.MAX_VALUE / 4 * 3;

  /** An invalid argument. */
  enum Mistake {
    NO_KEYS,
    NULL_KEY,
    NULL_KEYS,
    NULL_OPERATION
  }

  final Settings settings;
  final Tally tally;

  /** Whether callbacks do or throw anything. */
  final boolean reactive;

  /** How much the ticker has moved. */
  final AtomicLong reading = new AtomicLong();

  final Reports reports = new Reports();
  final Violations violations = new Violations();
  final @Nullable FaultyExecutor completions;
  final @Nullable FaultyExecutor expirations;
  final Timer timer;
  final Purgatory<Key> purgatory;
  final List<Subject> subjects = new ArrayList<>();
  final Internals internals;

  volatile boolean closing;
  boolean timerClosed;

  /** Whether the faults have stopped. */
  volatile boolean calm;

  /**
   * Begins a run.
   *
   * @param completions the behaviour of the executor for completions; null for no executor
   * @param expirations the behaviour of the executor for expirations; null for no executor
   */
  OperationRun(
      OperationSetup setup,
      Tally tally,
      @Nullable Behaviour completions,
      @Nullable Behaviour expirations) {
    settings = setup.settings();
    this.tally = tally;
    reactive = setup.plans().stream().anyMatch(OperationPlan::reacts);
    this.completions = executor(completions);
    this.expirations = executor(expirations);
    long origin = settings.origin();
    timer =
        TimerView.stripes(Timer.builder(), settings.stripes())
            .ticker(() -> origin + reading.get())
            .tick(Duration.ofNanos(settings.tickNanos()))
            .wheelSize(settings.wheelSize())
            .errorHandler(e -> require(false, FAILURES_STAY_APART, "the timer reports " + e))
            .build();
    purgatory = purgatory();
    for (OperationPlan plan : setup.plans()) {
      subjects.add(new Subject(subjects.size(), plan, this));
    }
    internals = new Internals(purgatory, timer, userObjects());
  }

  private @Nullable FaultyExecutor executor(@Nullable Behaviour behaviour) {
    return behaviour == null ? null : new FaultyExecutor(behaviour, this::thrownByExecutor);
  }

  private Purgatory<Key> purgatory() {
    PurgatoryBuilder<Key> builder =
        WatchListsView.purgeInterval(
            Purgatory.<Key>builder("checked", Key.class).timer(timer).listener(this),
            settings.purgeInterval());
    if (completions != null) {
      builder.completionExecutor(completions);
    }
    if (expirations != null) {
      builder.expirationExecutor(expirations);
    }
    return builder.build();
  }

  /** Returns what the purgatory and the timer were given by their user. */
  final List<Object> userObjects() {
    List<Object> objects = new ArrayList<>(List.of(this));
    if (completions != null) {
      objects.add(completions);
    }
    if (expirations != null) {
      objects.add(expirations);
    }
    return objects;
  }

  /** Returns a hash of what happened, which is the same if the program runs again on one thread. */
  long trace() {
    return 0;
  }

  final Subject subject(int number) {
    return subjects.get(number % subjects.size());
  }

  /** Records a violation if the condition is false. An exception would not leave a callback. */
  final void require(boolean condition, Invariant invariant, String details) {
    violations.require(condition, invariant, details);
  }

  // The steps.

  abstract void add(int operation);

  /** Adds an operation with an invalid argument, which must be rejected. */
  @SuppressWarnings("NullAway") // Invalid arguments.
  final void addBadly(int operation, Mistake mistake) {
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

  static List<Key> plainKey() {
    return List.of(new Key(0, Key.Kind.PLAIN));
  }

  final void refuses(Runnable call, Class<? extends RuntimeException> expected) {
    @Nullable RuntimeException refusal = null;
    try {
      call.run();
    } catch (RuntimeException e) {
      refusal = e;
    }
    require(expected.isInstance(refusal), RETURN_VALUES, "not the expected exception: " + refusal);
  }

  abstract void setReady(int operation, boolean ready);

  abstract void signal(Key key);

  abstract void complete(int operation);

  abstract void cancel(int operation);

  abstract void cancelForKey(Key key);

  abstract void cancelAll();

  final void purge() {
    purgatory.inspect().purge();
  }

  /** Moves the ticker without advancing the timer. It stands still at the latest time. */
  void pass(long nanos) {
    reading.updateAndGet(now -> !calm && nanos > LATEST - now ? now : now + nanos);
  }

  /** Moves the ticker and advances the timer. */
  void advance(long nanos) {
    pass(nanos);
    timer.advance();
  }

  /**
   * Runs the tasks that executors have queued, in an order that the seed determines. Does nothing
   * if no executor queues tasks.
   */
  void runTasks(long order) {}

  /** Closes the timer. Does nothing where operations that never time out would fail a check. */
  void closeTimer() {}

  final void closePurgatory() {
    closing = true;
    purgatory.close();
  }

  /** Performs a step while the thread is interrupted. */
  final void interrupted(Step<OperationRun> step) {
    Thread.currentThread().interrupt();
    step.by(this);
    require(Thread.interrupted(), FAILURES_STAY_APART, "an interrupt is lost");
  }

  // Callbacks, the listener and the executors.

  /** Returns whether the operation may end now because of its timeout. */
  abstract boolean mayExpire(Subject subject);

  /** Returns whether the listener gets failures of the operation. */
  abstract boolean isHeard(Subject subject);

  abstract void thrownByExecutor(Throwable failure);

  /** Called at the begin of each callback. */
  void called(Subject subject, String callback) {
    tally.callback();
    String what = callback + " of " + subject;
    require(!internals.isLockHeld(), NO_LOCK_HELD, what);
    Callback.begin(violations, what);
    if (callback.equals("onOutcome")) {
      requireReason(subject, Objects.requireNonNull(subject.outcome()));
    }
  }

  private void requireReason(Subject subject, Outcome outcome) {
    boolean reason =
        switch (outcome) {
          case COMPLETED -> subject.completedByHand || subject.wasReady;
          case TIMED_OUT -> mayExpire(subject);
          case CLOSED -> closing;
          case CANCELLED -> true;
          case FAILED -> subject.hasFailedForAReason(timerClosed);
        };
    String what = subject + ": " + outcome + " without a reason";
    require(reason, outcome == Outcome.TIMED_OUT ? NEVER_EARLY : ONCE, what);
  }

  /** Performs the steps of a reaction, and throws its failure. */
  void react(Subject subject, Reaction reaction) {
    if (calm || reaction.isNone()) {
      return;
    }
    tally.reaction();
    reaction.actions().forEach(action -> action.by(this));
    Callback.leaveInterrupt();
    if (reaction.failure() != null) {
      Throwable failure = reaction.failure().make();
      if (isHeard(subject) && !subject.isEvaluatedHere()) {
        reports.thrown(failure);
      }
      Reaction.raise(failure);
    }
  }

  @Override
  public void onHeld(Object operation) {
    ((Subject) operation).held = true;
  }

  @Override
  public void onError(Object operation, Source source, Throwable error) {
    Subject subject = (Subject) operation;
    if (error instanceof Finding finding) {
      violations.add(finding);
    } else if (source == Source.CONDITION) {
      subject.reportFailure(error);
    } else {
      reported(subject, error);
    }
  }

  /** Called for each failure that the listener gets, except for failures of conditions. */
  void reported(Subject subject, Throwable error) {
    reports.reported(error);
  }
}
