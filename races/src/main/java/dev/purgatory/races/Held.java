package dev.purgatory.races;

import dev.purgatory.DelayedOperation;
import dev.purgatory.Purgatory;
import dev.purgatory.timer.Timer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A purgatory in a time that stands still until it is moved, and one operation. */
class Held {
  static final List<String> KEYS = List.of("a", "b");

  private volatile long now;
  private final AtomicInteger calls = new AtomicInteger();

  final Timer timer = Timer.builder().ticker(() -> now).build();
  final Purgatory<String, Operation> purgatory =
      Purgatory.<String, Operation>builder("race")
          .timer(timer)
          .expirationExecutor(Runnable::run)
          .build();
  final Operation operation = new Operation();

  /** What the operation waits for: a plain field, as servers may have it. */
  boolean event;

  /** Holds the operation. */
  Held hold() {
    purgatory.tryCompleteElseWatch(operation, KEYS);
    return this;
  }

  /** The time of the operation is up, and everybody may see it. */
  void timePasses() {
    now = TimeUnit.SECONDS.toNanos(2);
    timer.advance();
  }

  /** 0 where nothing has happened to the operation; else by what it ended, and how often. */
  String end() {
    String how =
        operation.isCancelled()
            ? "cancelled"
            : operation.isExpired() ? "expired" : operation.isCompleted() ? "completed" : "held";
    return how + " " + calls.get() + " pending " + purgatory.pending() + " timed " + timer.size();
  }

  final class Operation extends DelayedOperation {
    Operation() {
      super(1, TimeUnit.SECONDS);
    }

    @Override
    protected boolean tryComplete() {
      return event;
    }

    @Override
    protected void onComplete() {
      calls.incrementAndGet();
    }
  }
}
