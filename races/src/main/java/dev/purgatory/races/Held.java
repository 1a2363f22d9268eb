package dev.purgatory.races;

import dev.purgatory.DelayedOperation;
import dev.purgatory.Outcome;
import dev.purgatory.Purgatory;
import dev.purgatory.timer.Timer;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A purgatory in a time that stands still until it is moved, and one operation. */
class Held {
  static final List<String> KEYS = List.of("a", "b");

  private volatile long now;

  final Timer timer = Timer.builder().ticker(() -> now).build();
  final Purgatory<String> purgatory =
      Purgatory.builder("race").timer(timer).expirationExecutor(Runnable::run).build();
  final Operation operation = new Operation();

  /** What the operation waits for: a plain field, as servers may have it. */
  boolean event;

  /** Holds the operation. */
  Held hold() {
    purgatory.hold(operation, KEYS);
    return this;
  }

  /** The time of the operation is up, and everybody may see it. */
  void timePasses() {
    now = TimeUnit.SECONDS.toNanos(2);
    timer.advance();
  }

  /** How the operation ended, and how often it was told so. */
  String end() {
    Outcome outcome = operation.outcome();
    String how = outcome == null ? "held" : outcome.name().toLowerCase(Locale.ROOT);
    return how
        + " "
        + operation.calls.get()
        + " pending "
        + purgatory.pending()
        + " timed "
        + timer.size();
  }

  final class Operation extends DelayedOperation {
    private final AtomicInteger calls = new AtomicInteger();

    Operation() {
      super(1, TimeUnit.SECONDS);
    }

    @Override
    protected boolean isReady() {
      return event;
    }

    @Override
    protected void onOutcome(Outcome outcome, @Nullable Throwable cause) {
      calls.incrementAndGet();
    }
  }
}
