package dev.purgatory.checker;

import static dev.purgatory.checker.Invariant.CALLBACKS_APART;
import static dev.purgatory.checker.Invariant.FAILURES_STAY_APART;
import static dev.purgatory.checker.Invariant.LET_GO;
import static dev.purgatory.checker.Invariant.ONCE;
import static dev.purgatory.checker.Invariant.RETAINED;

import dev.purgatory.DelayedOperation;
import dev.purgatory.Outcome;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** An operation that is checked: it notes what happens to it, and reacts as planned. */
final class Subject extends DelayedOperation {

  /** Who is told of each call, and makes the reactions happen. */
  interface Owner {
    /** Notes that something must not have happened. Thrown from a callback, it would be caught. */
    void require(boolean condition, Invariant invariant, String details);

    void called(Subject subject, String callback);

    /** Does what is planned, and throws what is planned. */
    void react(Subject subject, Reaction reaction);
  }

  /** A timeout from here on means that there is no limit of time. */
  private static final long NO_LIMIT_NANOS = Long.MAX_VALUE / 2;

  final int number;
  final OperationPlan plan;
  private final Owner owner;
  private final AtomicInteger inside = new AtomicInteger();
  private final AtomicInteger tries = new AtomicInteger();
  private final AtomicInteger outcomes = new AtomicInteger();
  private final AtomicInteger conditionFailures = new AtomicInteger();
  private final AtomicInteger failuresTold = new AtomicInteger();

  /** Whether it can be answered. */
  volatile boolean answerable;

  /** Whether somebody was told that he forced it. */
  volatile boolean forced;

  /** Whether its isReady has said yes. */
  volatile boolean saidYes;

  /** Whether its isReady has said yes where no caller is told of it. */
  volatile boolean saidYesUnheard;

  /** What its condition threw last, while it was evaluated. */
  private volatile @Nullable Throwable conditionFailure;

  /** The thread that had the last look when time was up: no caller is told what follows from it. */
  private volatile @Nullable Thread lastLooker;

  /** The thread that evaluates its condition. */
  private volatile @Nullable Thread evaluator;

  /** Whether a purgatory has begun to hold it. */
  volatile boolean held;

  /** Whether it was handed to a purgatory. */
  volatile boolean handedIn;

  /** Whether it ended before it was handed in, so that nobody hears of it. */
  volatile boolean endedUnheeded;

  /** The time on the timer's clock just before it was added. */
  volatile long addedAt;

  Subject(int number, OperationPlan plan, Owner owner) {
    super(plan.timeoutNanos(), TimeUnit.NANOSECONDS);
    this.number = number;
    this.plan = plan;
    this.owner = owner;
    this.answerable = plan.answerable();
  }

  @Override
  protected boolean isReady() {
    enter("isReady");
    evaluator = Thread.currentThread();
    try {
      owner.require(outcomes.get() == 0, CALLBACKS_APART, this + " asked after its answer");
      boolean answer = answerable;
      int nth = tries.incrementAndGet();
      owner.react(this, nth == 1 ? plan.onTry() : nth == 2 ? plan.onSecondTry() : Reaction.NONE);
      saidYes |= answer;
      saidYesUnheard |= answer && isUnheard();
      return answer;
    } catch (Throwable e) {
      conditionFailure = e;
      conditionFailures.incrementAndGet();
      throw e;
    } finally {
      evaluator = null;
      inside.decrementAndGet();
    }
  }

  /** Whether this evaluation may be one that was handed over, or owed to a check by a last look. */
  private boolean isUnheard() {
    Thread thread = Thread.currentThread();
    return thread == lastLooker || thread.getName().endsWith("-helper");
  }

  @Override
  protected boolean isReadyOnTimeout() {
    lastLooker = Thread.currentThread();
    boolean answer = isReady();
    saidYesUnheard |= answer;
    return answer;
  }

  @Override
  protected void onOutcome(Outcome outcome, @Nullable Throwable cause) {
    enter("onOutcome");
    try {
      owner.require(outcomes.getAndIncrement() == 0, ONCE, this + " answered twice");
      owner.require(outcome == outcome(), ONCE, this + " is told " + outcome);
      owner.require((cause != null) == (outcome == Outcome.FAILED), ONCE, this + " cause " + cause);
      if (cause != null) {
        tellFailure(cause);
      }
      owner.react(this, plan.onAnswer());
      if (isExpired()) {
        owner.react(this, plan.onTimeUp());
      }
    } finally {
      inside.decrementAndGet();
    }
  }

  /** Somebody is told what the condition threw. */
  void tellFailure(Throwable error) {
    if (error == conditionFailure) {
      failuresTold.incrementAndGet();
    }
  }

  private void enter(String callback) {
    boolean alone = inside.getAndIncrement() == 0;
    owner.require(alone, CALLBACKS_APART, callback + " of " + this + " within another callback");
    owner.called(this, callback);
  }

  /** Whether this thread evaluates its condition. */
  boolean isEvaluatedHere() {
    return evaluator == Thread.currentThread();
  }

  boolean hasEnded() {
    return outcome() != null;
  }

  /** Whether an event has completed it. */
  boolean isCompleted() {
    return outcome() == Outcome.COMPLETED;
  }

  /** Whether time, or the end of the purgatory, has ended it. */
  boolean isExpired() {
    return outcome() == Outcome.TIMED_OUT || outcome() == Outcome.CLOSED;
  }

  boolean isCancelled() {
    return outcome() == Outcome.CANCELLED;
  }

  /** Whether it failed, and there is a reason. */
  boolean hasFailedForAReason(boolean timerClosed) {
    return conditionFailure != null || plan.hasUnusableKey() || timerClosed;
  }

  /** Whether a purgatory holds it. */
  boolean isHeld() {
    return held && !hasEnded();
  }

  /** Returns whether time will end it. */
  boolean isTimed() {
    return plan.timeoutNanos() < NO_LIMIT_NANOS;
  }

  /**
   * Returns whether its time is up as soon as it is held, whatever a ticker that runs back says.
   */
  boolean isDueAtOnce() {
    return plan.timeoutNanos() <= 0;
  }

  /** Returns the earliest time at which it may expire. */
  long earliestExpiry() {
    return deadline(addedAt);
  }

  /** Returns its deadline if it is held at this time. */
  long deadline(long heldAt) {
    return heldAt + Math.min(NO_LIMIT_NANOS, Math.max(0, plan.timeoutNanos()));
  }

  /** Fails unless it was answered as its end says. */
  void requireAnswered() {
    int expected = hasEnded() ? 1 : 0;
    Finding.unless(outcomes.get() == expected, ONCE, this + " has " + outcomes + " outcomes");
    Finding.unless(
        failuresTold.get() == conditionFailures.get(),
        FAILURES_STAY_APART,
        this + " failed " + conditionFailures + " times, told " + failuresTold);
  }

  /**
   * Fails if operations or keys are reachable. To be called when nothing is pending.
   *
   * @param border objects that were handed to the roots by their user
   */
  static void requireUnreachable(List<?> roots, List<?> border) {
    Reachable left = Reachable.from(roots, border);
    List<Subject> subjects = left.instances(Subject.class).toList();
    Finding.unless(subjects.isEmpty(), LET_GO, "reachable after their end: " + subjects);
    List<Key> keys = left.instances(Key.class).toList();
    Finding.unless(keys.isEmpty(), RETAINED, "reachable although nothing is pending: " + keys);
  }

  @Override
  public String toString() {
    return "operation " + number;
  }
}
