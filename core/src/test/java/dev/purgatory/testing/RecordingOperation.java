package dev.purgatory.testing;

import dev.purgatory.DelayedOperation;
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
  private final AtomicInteger completions = new AtomicInteger();
  private final AtomicInteger expirations = new AtomicInteger();
  private final AtomicInteger inside = new AtomicInteger();
  private final List<String> violations = new CopyOnWriteArrayList<>();
  private volatile boolean condition;
  private volatile boolean yesOnTimeout;
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

  /** What to do within tryComplete, after the condition was read. */
  public RecordingOperation onTry(Runnable action) {
    onTry = action;
    return this;
  }

  /** What to do within onComplete. */
  public RecordingOperation onAnswer(Runnable action) {
    onAnswer = action;
    return this;
  }

  /** What to do within onExpiration. */
  public RecordingOperation onTimeUp(Runnable action) {
    onTimeUp = action;
    return this;
  }

  @Override
  protected boolean tryComplete() {
    enter("tryComplete");
    try {
      checks.incrementAndGet();
      expect(completions.get() == 0, "tryComplete after onComplete");
      boolean answer = condition;
      onTry.run();
      return answer;
    } finally {
      inside.decrementAndGet();
    }
  }

  @Override
  protected boolean tryCompleteOnTimeout() {
    boolean answer = super.tryCompleteOnTimeout();
    yesOnTimeout |= answer;
    return answer;
  }

  @Override
  protected void onComplete() {
    enter("onComplete");
    try {
      completions.incrementAndGet();
      answeredOn = Thread.currentThread();
      expect(isCompleted() && !isCancelled(), "onComplete of what is not completed");
      onAnswer.run();
    } finally {
      inside.decrementAndGet();
    }
  }

  @Override
  protected void onExpiration() {
    enter("onExpiration");
    try {
      expirations.incrementAndGet();
      expect(isExpired(), "onExpiration of what has not expired");
      expect(completions.get() == 1, "onExpiration without onComplete");
      onTimeUp.run();
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

  /** Whether the last look, when time was up, has said yes. */
  public boolean saidYesOnTimeout() {
    return yesOnTimeout;
  }

  public int checks() {
    return checks.get();
  }

  public int completions() {
    return completions.get();
  }

  public int expirations() {
    return expirations.get();
  }

  /** What must not have happened. */
  public List<String> violations() {
    return violations;
  }

  public @Nullable Thread answeredOn() {
    return answeredOn;
  }
}
