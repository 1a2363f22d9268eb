package dev.purgatory.checker;

import static dev.purgatory.checker.Invariant.CALLBACKS_APART;
import static dev.purgatory.checker.Invariant.FAILURES_STAY_APART;
import static dev.purgatory.checker.Invariant.ONCE;
import static dev.purgatory.checker.Invariant.RELEASED;
import static dev.purgatory.checker.Invariant.RETAINED;

import dev.purgatory.DelayedOperation;
import dev.purgatory.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** An operation under test. It records what happens to it, and reacts as planned. */
final class Subject extends DelayedOperation {

  /** Timeouts from this one on mean no limit. */
  private static final long NO_LIMIT_NANOS = Long.MAX_VALUE / 2;

  final int number;
  final OperationPlan plan;
  private final OperationRun run;
  private final AtomicInteger inside = new AtomicInteger();
  private final AtomicInteger tries = new AtomicInteger();
  private final AtomicInteger outcomes = new AtomicInteger();
  private final AtomicInteger conditionFailures = new AtomicInteger();
  private final AtomicInteger failuresReported = new AtomicInteger();

  /** Whether it is ready. */
  volatile boolean ready;

  /** Whether {@link #complete} may have completed it. */
  volatile boolean completedByHand;

  /** Whether {@code isReady} has returned true. */
  volatile boolean wasReady;

  /** Whether {@code isReady} has returned true where no call reports the completion. */
  volatile boolean wasReadyUnreported;

  /** What {@code isReady} threw last. */
  private volatile @Nullable Throwable conditionFailure;

  /** The thread of the last evaluation, on timeout: no call reports the completion. */
  private volatile @Nullable Thread lastEvaluator;

  /** The thread that runs {@code isReady}. */
  private volatile @Nullable Thread evaluator;

  /** Whether a purgatory has begun to hold it. */
  volatile boolean held;

  /** Whether it was passed to a purgatory. */
  volatile boolean added;

  /** Whether it ended before it was passed to a purgatory, so that no listener is called. */
  volatile boolean endedBeforeAdded;

  /** The time on the timer's clock just before it was added. */
  volatile long addedAt;

  Subject(int number, OperationPlan plan, OperationRun run) {
    super(Duration.ofNanos(plan.timeoutNanos()));
    this.number = number;
    this.plan = plan;
    this.run = run;
    this.ready = plan.ready();
  }

  @Override
  protected boolean isReady() {
    enter("isReady");
    evaluator = Thread.currentThread();
    try {
      run.require(outcomes.get() == 0, CALLBACKS_APART, this + " is evaluated after its answer");
      boolean answer = ready;
      int nth = tries.incrementAndGet();
      run.react(this, nth == 1 ? plan.onTry() : nth == 2 ? plan.onSecondTry() : Reaction.NONE);
      wasReady |= answer;
      wasReadyUnreported |= answer && isUnreported();
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

  /** Returns whether this may be an evaluation on timeout, or one that was handed over. */
  private boolean isUnreported() {
    Thread thread = Thread.currentThread();
    return thread == lastEvaluator || thread.getName().endsWith("-helper");
  }

  @Override
  protected boolean isReadyOnTimeout() {
    lastEvaluator = Thread.currentThread();
    boolean answer = isReady();
    wasReadyUnreported |= answer;
    return answer;
  }

  @Override
  protected void onOutcome(Outcome outcome, @Nullable Throwable cause) {
    enter("onOutcome");
    try {
      run.require(outcomes.getAndIncrement() == 0, ONCE, this + " is answered twice");
      run.require(outcome == outcome(), ONCE, this + " receives " + outcome);
      run.require(
          (cause != null) == (outcome == Outcome.FAILED),
          ONCE,
          this + " receives the cause " + cause);
      if (cause != null) {
        reportFailure(cause);
      }
      run.react(this, plan.onAnswer());
      if (isExpired()) {
        run.react(this, plan.onTimeUp());
      }
    } finally {
      inside.decrementAndGet();
    }
  }

  /** Records that a failure was reported. */
  void reportFailure(Throwable error) {
    if (error == conditionFailure) {
      failuresReported.incrementAndGet();
    }
  }

  private void enter(String callback) {
    boolean alone = inside.getAndIncrement() == 0;
    run.require(alone, CALLBACKS_APART, callback + " of " + this + " during another callback");
    run.called(this, callback);
  }

  /** Returns whether the current thread runs {@code isReady}. */
  boolean isEvaluatedHere() {
    return evaluator == Thread.currentThread();
  }

  boolean hasEnded() {
    return outcome() != null;
  }

  /** Returns whether its outcome is {@code COMPLETED}. */
  boolean isCompleted() {
    return outcome() == Outcome.COMPLETED;
  }

  /** Returns whether its timeout, or closing the purgatory, has ended it. */
  boolean isExpired() {
    return outcome() == Outcome.TIMED_OUT || outcome() == Outcome.CLOSED;
  }

  boolean isCancelled() {
    return outcome() == Outcome.CANCELLED;
  }

  /** Returns whether there is a reason for it to fail. */
  boolean hasFailedForAReason(boolean timerClosed) {
    return conditionFailure != null || plan.hasUnusableKey() || timerClosed;
  }

  /** Returns whether a purgatory holds it. */
  boolean isHeld() {
    return held && !hasEnded();
  }

  /** Returns whether it has a time limit. */
  boolean isTimed() {
    return plan.timeoutNanos() < NO_LIMIT_NANOS;
  }

  /** Returns whether it is due as soon as it is held, even if the ticker runs backwards. */
  boolean isDueAtOnce() {
    return plan.timeoutNanos() <= 0;
  }

  /** Returns the earliest time at which it may expire. */
  long earliestExpiry() {
    return deadline(addedAt);
  }

  /** Returns its deadline if it is added at this time. */
  long deadline(long heldAt) {
    long timeout = Math.min(NO_LIMIT_NANOS, Math.max(0, plan.timeoutNanos()));
    return heldAt > Long.MAX_VALUE - timeout ? Long.MAX_VALUE : heldAt + timeout;
  }

  /**
   * Checks that it was answered as often as it has to be.
   *
   * @throws Finding if that is not so
   */
  void requireAnswered() {
    int expected = hasEnded() ? 1 : 0;
    Finding.unless(outcomes.get() == expected, ONCE, this + " was answered " + outcomes + " times");
    Finding.unless(
        failuresReported.get() == conditionFailures.get(),
        FAILURES_STAY_APART,
        this + " failed " + conditionFailures + " times, reported " + failuresReported);
  }

  /**
   * Checks that no operation and no key is reachable. To be called when nothing is pending.
   *
   * @param border objects that the user passed to the roots
   * @throws Finding if one is
   */
  static void requireUnreachable(List<?> roots, List<?> border) {
    Reachable left = Reachable.from(roots, border);
    List<Subject> subjects = left.instances(Subject.class).toList();
    Finding.unless(subjects.isEmpty(), RELEASED, "still reachable: " + subjects);
    List<Key> keys = left.instances(Key.class).toList();
    Finding.unless(keys.isEmpty(), RETAINED, "still reachable: " + keys);
  }

  @Override
  public String toString() {
    return "operation " + number;
  }
}
