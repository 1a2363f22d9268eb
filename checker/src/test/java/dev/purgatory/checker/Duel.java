package dev.purgatory.checker;

import dev.purgatory.DelayedOperation;
import dev.purgatory.Outcome;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Two threads end the same operation at the same moment: one completes it, one cancels it. */
final class Duel {
  private final Operation[] operations;
  private final AtomicInteger arrived = new AtomicInteger();

  Duel(int rounds) {
    operations = new Operation[rounds];
    for (int i = 0; i < rounds; i++) {
      operations[i] = new Operation();
    }
  }

  /** Returns the number of rounds in which not exactly one of the two calls returned true. */
  int run() throws InterruptedException {
    Thread other = new Thread(this::cancelAll, "duel");
    other.start();
    for (int i = 0; i < operations.length; i++) {
      meet(2 * i);
      operations[i].completed = operations[i].complete();
    }
    other.join();
    int wrong = 0;
    for (Operation operation : operations) {
      boolean right = operation.completed != operation.cancelled && operation.answers == 1;
      wrong += right ? 0 : 1;
    }
    return wrong;
  }

  private void cancelAll() {
    for (int i = 0; i < operations.length; i++) {
      meet(2 * i);
      operations[i].cancelled = operations[i].cancel();
    }
  }

  private void meet(int before) {
    arrived.incrementAndGet();
    while (arrived.get() < before + 2) {
      Thread.onSpinWait();
    }
  }

  private static final class Operation extends DelayedOperation {
    boolean completed;
    boolean cancelled;
    int answers;

    Operation() {
      super(Duration.ofSeconds(1));
    }

    @Override
    protected boolean isReady() {
      return false;
    }

    @Override
    protected void onOutcome(Outcome outcome, @Nullable Throwable cause) {
      answers++;
    }
  }
}
