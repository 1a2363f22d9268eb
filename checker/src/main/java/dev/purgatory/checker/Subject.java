package dev.purgatory.checker;

import static dev.purgatory.checker.Invariant.CALLBACKS_APART;
import static dev.purgatory.checker.Invariant.LET_GO;
import static dev.purgatory.checker.Invariant.ONCE;
import static dev.purgatory.checker.Invariant.RETAINED;

import dev.purgatory.DelayedOperation;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

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
  private final AtomicInteger completions = new AtomicInteger();
  private final AtomicInteger expirations = new AtomicInteger();

  /** Whether it can be answered. */
  volatile boolean answerable;

  /** Whether somebody was told that he forced it. */
  volatile boolean forced;

  /** Whether somebody was told that he cancelled it. */
  volatile boolean cancelled;

  /** Whether its tryComplete has said yes. */
  volatile boolean saidYes;

  /** Whether its tryComplete has said yes where no caller is told of it. */
  volatile boolean saidYesUnheard;

  /** Whether its tryComplete has failed, which counts as no, since that was last reset. */
  volatile boolean failedToSay;

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
  protected boolean tryComplete() {
    enter("tryComplete");
    boolean said = false;
    try {
      owner.require(completions.get() == 0, CALLBACKS_APART, this + " asked after its answer");
      boolean answer = answerable;
      int nth = tries.incrementAndGet();
      owner.react(this, nth == 1 ? plan.onTry() : nth == 2 ? plan.onSecondTry() : Reaction.NONE);
      saidYes |= answer;
      saidYesUnheard |= answer && Thread.currentThread().getName().endsWith("-helper");
      said = true;
      return answer;
    } finally {
      failedToSay |= !said;
      inside.decrementAndGet();
    }
  }

  @Override
  protected boolean tryCompleteOnTimeout() {
    boolean answer = tryComplete();
    saidYesUnheard |= answer;
    return answer;
  }

  @Override
  protected void onComplete() {
    enter("onComplete");
    try {
      owner.require(completions.getAndIncrement() == 0, ONCE, this + " answered twice");
      owner.require(isCompleted(), ONCE, this + " answered without an end");
      owner.react(this, plan.onAnswer());
    } finally {
      inside.decrementAndGet();
    }
  }

  @Override
  protected void onExpiration() {
    enter("onExpiration");
    try {
      owner.require(expirations.getAndIncrement() == 0, ONCE, this + " expired twice");
      owner.require(
          isExpired() && completions.get() == 1, CALLBACKS_APART, this + " expired unanswered");
      owner.react(this, plan.onTimeUp());
    } finally {
      inside.decrementAndGet();
    }
  }

  private void enter(String callback) {
    boolean alone = inside.getAndIncrement() == 0;
    owner.require(alone, CALLBACKS_APART, callback + " of " + this + " within another callback");
    owner.called(this, callback);
  }

  boolean hasEnded() {
    return isCompleted() || isCancelled();
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
    int answers = isCompleted() ? 1 : 0;
    Finding.unless(completions.get() == answers, ONCE, this + " has " + completions + " answers");
    Finding.unless(
        expirations.get() == (isExpired() ? 1 : 0), ONCE, this + " expired " + expirations);
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

  boolean wasCalledAfterCancel() {
    return isCancelled() && completions.get() > 0;
  }

  @Override
  public String toString() {
    return "operation " + number;
  }
}
