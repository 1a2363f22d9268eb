package dev.purgatory.races;

import dev.purgatory.DelayedOperation;
import dev.purgatory.Outcome;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A purgatory with one operation on two keys. */
final class OneOperation extends VirtualPurgatory {
  static final List<String> KEYS = List.of("a", "b");

  final Operation operation = new Operation();

  /** The condition of the operation: a plain field, as servers may use. */
  boolean event;

  /** Holds the operation. */
  OneOperation hold() {
    purgatory.hold(operation, KEYS);
    return this;
  }

  /** Holds the operation and returns what the caller gets. */
  String tryHold() {
    try {
      return purgatory.hold(operation, KEYS) ? "completed" : "held";
    } catch (IllegalStateException e) {
      return "refused";
    }
  }

  /** Returns how the operation ended, how often it was answered, and what is left. */
  String end() {
    return text(operation.outcome()) + ' ' + operation.answers.get() + ' ' + left();
  }

  final class Operation extends DelayedOperation {
    private final AtomicInteger answers = new AtomicInteger();

    Operation() {
      super(TIMEOUT);
    }

    @Override
    protected boolean isReady() {
      return event;
    }

    @Override
    protected void onOutcome(Outcome outcome, @Nullable Throwable cause) {
      answers.incrementAndGet();
    }
  }
}
