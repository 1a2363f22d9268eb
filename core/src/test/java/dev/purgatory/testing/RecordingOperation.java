package dev.purgatory.testing;

import dev.purgatory.DelayedOperation;
import dev.purgatory.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * An operation whose condition a test sets. It records the callbacks, checks that no two of them
 * overlap, and runs the actions that the test has set.
 */
public class RecordingOperation extends DelayedOperation {
  private final AtomicInteger checks = new AtomicInteger();
  private final AtomicInteger outcomes = new AtomicInteger();
  private final AtomicInteger inside = new AtomicInteger();
  private final List<String> violations = new CopyOnWriteArrayList<>();
  private volatile boolean condition;
  private volatile boolean readyOnTimeout;
  private volatile @Nullable Thread timeoutThread;
  private volatile @Nullable Outcome recorded;
  private volatile @Nullable Throwable cause;
  private volatile @Nullable Thread answeredOn;
  private volatile Runnable onCheck = () -> {};
  private volatile Runnable onAnswer = () -> {};
  private volatile Runnable onExpiry = () -> {};

  public RecordingOperation(long timeoutMillis) {
    super(Duration.ofMillis(timeoutMillis));
  }

  public RecordingOperation(Duration timeout) {
    super(timeout);
  }

  public RecordingOperation condition(boolean value) {
    condition = value;
    return this;
  }

  /** Sets an action that isReady runs after it has read the condition. */
  public RecordingOperation onCheck(Runnable action) {
    onCheck = action;
    return this;
  }

  /** Sets an action that onOutcome runs unless the operation was cancelled or failed. */
  public RecordingOperation onAnswer(Runnable action) {
    onAnswer = action;
    return this;
  }

  /** Sets an action that onOutcome runs if the operation timed out or the purgatory was closed. */
  public RecordingOperation onExpiry(Runnable action) {
    onExpiry = action;
    return this;
  }

  @Override
  protected boolean isReady() {
    enter("isReady");
    try {
      checks.incrementAndGet();
      expect(outcomes.get() == 0, "isReady after onOutcome");
      boolean answer = condition;
      onCheck.run();
      readyOnTimeout |= answer && Thread.currentThread() == timeoutThread;
      return answer;
    } finally {
      inside.decrementAndGet();
    }
  }

  @Override
  protected boolean isReadyOnTimeout() {
    timeoutThread = Thread.currentThread();
    return super.isReadyOnTimeout();
  }

  @Override
  protected void onOutcome(Outcome outcome, @Nullable Throwable reason) {
    enter("onOutcome");
    try {
      expect(outcomes.incrementAndGet() == 1, "a second outcome");
      expect(outcome == outcome(), "onOutcome got " + outcome + ", outcome() is " + outcome());
      expect((reason != null) == (outcome == Outcome.FAILED), "a cause without a failure");
      recorded = outcome;
      cause = reason;
      answeredOn = Thread.currentThread();
      if (isAnswered()) {
        onAnswer.run();
      }
      if (isExpired()) {
        onExpiry.run();
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
   * Whether the thread that ran the timeout found the condition to hold, in its first check or in
   * another one that a concurrent signal caused.
   */
  public boolean wasReadyOnTimeout() {
    return readyOnTimeout;
  }

  public int checks() {
    return checks.get();
  }

  /** Whether the operation was completed, timed out, or was closed with its purgatory. */
  public boolean isAnswered() {
    return outcome() == Outcome.COMPLETED || isExpired();
  }

  /** Whether the operation timed out or was closed with its purgatory. */
  public boolean isExpired() {
    return outcome() == Outcome.TIMED_OUT || outcome() == Outcome.CLOSED;
  }

  public boolean isCancelled() {
    return outcome() == Outcome.CANCELLED;
  }

  /** How many outcomes were reported, if the last one was an answer; else 0. */
  public int answers() {
    Outcome last = recorded;
    return last == null || last == Outcome.CANCELLED || last == Outcome.FAILED ? 0 : outcomes.get();
  }

  /** How many outcomes were reported, if the last one was a timeout or a close; else 0. */
  public int expirations() {
    Outcome last = recorded;
    return last == Outcome.TIMED_OUT || last == Outcome.CLOSED ? outcomes.get() : 0;
  }

  /** How many outcomes were reported. */
  public int outcomes() {
    return outcomes.get();
  }

  public @Nullable Throwable cause() {
    return cause;
  }

  /** Violations of the contract of the callbacks. */
  public List<String> violations() {
    return violations;
  }

  public @Nullable Thread answeredOn() {
    return answeredOn;
  }
}
