package dev.purgatory.checker;

import dev.purgatory.DelayedOperation;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** An operation of a {@link BulkProgram}. It counts its answers and may set off another one. */
final class BulkOperation extends DelayedOperation {
  final List<Integer> keys;

  /** The time at which it may expire, in virtual nanoseconds. */
  final long deadline;

  private final @Nullable Runnable onAnswer;
  private final AtomicInteger answers = new AtomicInteger();

  /** Whether it can be answered. */
  volatile boolean answerable;

  /**
   * Creates an operation.
   *
   * @param now the time, in virtual nanoseconds
   * @param onAnswer runs when it is answered; null for nothing
   */
  BulkOperation(List<Integer> keys, long now, long timeoutNanos, @Nullable Runnable onAnswer) {
    super(timeoutNanos, TimeUnit.NANOSECONDS);
    this.keys = keys;
    this.deadline = now + timeoutNanos;
    this.onAnswer = onAnswer;
  }

  @Override
  protected boolean tryComplete() {
    return answerable;
  }

  @Override
  protected void onComplete() {
    answers.incrementAndGet();
    if (onAnswer != null) {
      onAnswer.run();
    }
  }

  boolean isPending() {
    return !isCompleted() && !isCancelled();
  }

  /** Returns whether everything that follows from its end has happened, in the right number. */
  boolean isSettled() {
    return isCancelled() ? answers.get() == 0 : isCompleted() && answers.get() == 1;
  }

  @Override
  public String toString() {
    return "operation on " + keys;
  }
}
