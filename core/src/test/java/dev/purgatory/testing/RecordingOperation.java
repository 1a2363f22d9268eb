package dev.purgatory.testing;

import dev.purgatory.DelayedOperation;
import dev.purgatory.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * An operation whose condition a test sets. It records what is called, checks that no two calls
 * overlap, and does on each call what the test has asked for.
 */
public class RecordingOperation extends DelayedOperation {
  private final AtomicInteger checks = new AtomicInteger();
  private final AtomicInteger outcomes = new AtomicInteger();
  private final AtomicInteger inside = new AtomicInteger();
  private final List<String> violations = new CopyOnWriteArrayList<>();
  private volatile boolean condition;
  private volatile boolean yesOnTimeout;
  private volatile @Nullable Thread lastLooker;
  private volatile @Nullable Outcome told;
  private volatile @Nullable Throwable cause;
  private volatile @Nullable Thread answeredOn;
  private volatile Runnable onTry = () -> {};
  private volatile Runnable onAnswer = () -> {};
  private volatile Runnable onTimeUp = () -> {};

  public RecordingOperation(long timeoutMillis) {
    super(timeoutMillis, TimeUnit.MILLISECONDS);
  }

  public RecordingOperation(Duration timeout) {
    super(timeout);
  }

  public RecordingOperation condition(boolean value) {
    condition = value;
    return this;
  }

  /** What to do within isReady, after the condition was read. */
  public RecordingOperation onTry(Runnable action) {
    onTry = action;
    return this;
  }

  /** What to do within onOutcome, unless it was cancelled or has failed. */
  public RecordingOperation onAnswer(Runnable action) {
    onAnswer = action;
    return this;
  }

  /** What to do within onOutcome if time is up or the purgatory was closed. */
  public RecordingOperation onTimeUp(Runnable action) {
    onTimeUp = action;
    return this;
  }

  @Override
  protected boolean isReady() {
    enter("isReady");
    try {
      checks.incrementAndGet();
      expect(outcomes.get() == 0, "isReady after onOutcome");
      boolean answer = condition;
      onTry.run();
      yesOnTimeout |= answer && Thread.currentThread() == lastLooker;
      return answer;
    } finally {
      inside.decrementAndGet();
    }
  }

  @Override
  protected boolean isReadyOnTimeout() {
    lastLooker = Thread.currentThread();
    return super.isReadyOnTimeout();
  }

  @Override
  protected void onOutcome(Outcome outcome, @Nullable Throwable reason) {
    enter("onOutcome");
    try {
      expect(outcomes.incrementAndGet() == 1, "a second outcome");
      expect(outcome == outcome(), "told of another outcome");
      expect((reason != null) == (outcome == Outcome.FAILED), "a cause without a failure");
      told = outcome;
      cause = reason;
      answeredOn = Thread.currentThread();
      if (isAnswered()) {
        onAnswer.run();
      }
      if (isExpired()) {
        onTimeUp.run();
      }
    } finally {
      inside.decrementAndGet();
    }
  }

  private void enter(String callback) {
    expect(inside.getAndIncrement() == 0, callback + " overlaps with another callback");
  }

  private void expect(boolean condition, String violation) {
    if (!condition) {
      violations.add(violation);
    }
  }

  /**
   * Whether the thread that evaluates when time is up has seen the condition hold: at once, or when
   * it looked again for a signal that came meanwhile.
   */
  public boolean saidYesOnTimeout() {
    return yesOnTimeout;
  }

  public int checks() {
    return checks.get();
  }

  /** Whether an event, a caller, time, or the end of the purgatory made it be answered. */
  public boolean isAnswered() {
    return outcome() == Outcome.COMPLETED || isExpired();
  }

  /** Whether time, or the end of the purgatory, forced the answer. */
  public boolean isExpired() {
    return outcome() == Outcome.TIMED_OUT || outcome() == Outcome.CLOSED;
  }

  public boolean isCancelled() {
    return outcome() == Outcome.CANCELLED;
  }

  /** How often it was told to answer. */
  public int answers() {
    Outcome last = told;
    return last == null || last == Outcome.CANCELLED || last == Outcome.FAILED ? 0 : outcomes.get();
  }

  /** How often it was told that time, or the end of the purgatory, forced the answer. */
  public int expirations() {
    Outcome last = told;
    return last == Outcome.TIMED_OUT || last == Outcome.CLOSED ? outcomes.get() : 0;
  }

  /** How often it was told an outcome, whatever it was. */
  public int outcomes() {
    return outcomes.get();
  }

  public @Nullable Throwable cause() {
    return cause;
  }

  /** What must not have happened. */
  public List<String> violations() {
    return violations;
  }

  public @Nullable Thread answeredOn() {
    return answeredOn;
  }
}
