package dev.purgatory.checker;

import dev.purgatory.DelayedOperation;
import dev.purgatory.HeldFuture;
import dev.purgatory.Outcome;
import dev.purgatory.Purgatory;
import dev.purgatory.Replies;
import dev.purgatory.Scope;
import dev.purgatory.Thresholds;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** An operation of a {@link BulkRun}. It counts its answers. */
abstract class BulkOperation {
  final List<Integer> keys;
  final long timeoutNanos;

  /** The earliest time at which it may expire, in virtual nanoseconds. */
  final long deadline;

  private final Runnable onAnswer;
  private final AtomicInteger answers = new AtomicInteger();

  /** Whether it is ready. */
  volatile boolean ready;

  private BulkOperation(List<Integer> keys, long now, long timeoutNanos, Runnable onAnswer) {
    this.keys = keys;
    this.timeoutNanos = timeoutNanos;
    this.deadline = now + timeoutNanos;
    this.onAnswer = onAnswer;
  }

  /** Adds it to a purgatory. */
  abstract void hold(Purgatory<Integer> purgatory);

  abstract boolean complete();

  abstract boolean cancel();

  abstract @Nullable Outcome outcome();

  /** Makes it ready. */
  void makeReady() {
    ready = true;
  }

  final void answered() {
    answers.incrementAndGet();
    onAnswer.run();
  }

  final boolean isPending() {
    return outcome() == null;
  }

  /** Returns whether it has ended and was answered once. */
  final boolean isSettled() {
    return outcome() != null && answers.get() == 1;
  }

  /** Returns the number of lists that it is added to. */
  int registrations() {
    return Math.max(1, keys.size());
  }

  @Override
  public final String toString() {
    return getClass().getSimpleName() + " on " + keys;
  }

  /** A subclass of {@link DelayedOperation}. */
  static final class Delayed extends BulkOperation {
    private final DelayedOperation operation;

    /**
     * Creates an operation.
     *
     * @param now the time, in virtual nanoseconds
     * @param onAnswer runs when the operation is answered
     */
    Delayed(List<Integer> keys, long now, long timeoutNanos, Runnable onAnswer) {
      super(keys, now, timeoutNanos, onAnswer);
      operation =
          new DelayedOperation(Duration.ofNanos(timeoutNanos)) {
            @Override
            protected boolean isReady() {
              return ready;
            }

            @Override
            protected void onOutcome(Outcome outcome, @Nullable Throwable cause) {
              answered();
            }
          };
    }

    @Override
    void hold(Purgatory<Integer> purgatory) {
      purgatory.hold(operation, keys);
    }

    @Override
    boolean complete() {
      return operation.complete();
    }

    @Override
    boolean cancel() {
      return operation.cancel();
    }

    @Override
    @Nullable Outcome outcome() {
      return operation.outcome();
    }
  }

  /** An operation that is held as a future. */
  private abstract static class AsFuture extends BulkOperation {
    private @Nullable HeldFuture<BulkOperation> future;

    AsFuture(List<Integer> keys, long now, long timeoutNanos, Runnable onAnswer) {
      super(keys, now, timeoutNanos, onAnswer);
    }

    abstract HeldFuture<BulkOperation> begin(Purgatory<Integer> purgatory, Duration timeout);

    @Override
    final void hold(Purgatory<Integer> purgatory) {
      HeldFuture<BulkOperation> held = begin(purgatory, Duration.ofNanos(timeoutNanos));
      future = held;
      var unused = held.whenComplete((value, error) -> answered());
    }

    @Override
    final boolean complete() {
      return future != null && future.complete(this);
    }

    @Override
    final boolean cancel() {
      return future != null && future.cancel(false);
    }

    @Override
    final @Nullable Outcome outcome() {
      return future == null ? null : future.outcome();
    }
  }

  /** A future with a condition, in a scope with a limit, that also waits for a threshold. */
  static final class Conditional extends AsFuture {
    private final Scope scope;
    private final Thresholds<Integer> thresholds;

    Conditional(
        List<Integer> keys,
        long now,
        long timeoutNanos,
        Runnable onAnswer,
        Scope scope,
        Thresholds<Integer> thresholds) {
      super(keys, now, timeoutNanos, onAnswer);
      this.scope = scope;
      this.thresholds = thresholds;
    }

    /** The scope has a list, too. */
    @Override
    int registrations() {
      return keys.size() + 1;
    }

    @Override
    HeldFuture<BulkOperation> begin(Purgatory<Integer> purgatory, Duration timeout) {
      return purgatory
          .<BulkOperation>until(() -> ready ? this : null)
          .inScope(scope)
          .reaching(thresholds, keys.get(0), 1)
          .orAfter(timeout, () -> this)
          .hold(keys);
    }
  }

  /** A stage with a time limit, which has no key. */
  static final class TimedStage extends AsFuture {
    private final CompletableFuture<BulkOperation> stage = new CompletableFuture<>();

    TimedStage(long now, long timeoutNanos, Runnable onAnswer) {
      super(List.of(), now, timeoutNanos, onAnswer);
    }

    @Override
    HeldFuture<BulkOperation> begin(Purgatory<Integer> purgatory, Duration timeout) {
      return purgatory.timeout(stage, timeout);
    }

    @Override
    void makeReady() {
      super.makeReady();
      stage.complete(this);
    }
  }

  /** A reply that is awaited by its id, which is its only key. */
  static final class Reply extends AsFuture {
    private final Replies<Integer, BulkOperation> replies;

    Reply(
        Replies<Integer, BulkOperation> replies,
        int id,
        long now,
        long timeoutNanos,
        Runnable onAnswer) {
      super(List.of(id), now, timeoutNanos, onAnswer);
      this.replies = replies;
    }

    @Override
    HeldFuture<BulkOperation> begin(Purgatory<Integer> purgatory, Duration timeout) {
      return replies.expect(keys.get(0), timeout);
    }
  }
}
