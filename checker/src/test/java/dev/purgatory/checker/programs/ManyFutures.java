package dev.purgatory.checker.programs;

import dev.purgatory.DelayedOperation;
import dev.purgatory.Outcome;
import dev.purgatory.Purgatory;
import dev.purgatory.timer.Timer;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** close(Duration) with 300,000 futures, which it cancels when its time is over. */
final class ManyFutures {
  private static final int COUNT = 300_000;
  private static final int KEYS = 1_024;

  /** Closing futures creates as many exceptions, so it may take longer than for operations. */
  private static final int TIMES_AS_LONG = 4;

  private ManyFutures() {}

  private static final class Operation extends DelayedOperation {
    Operation() {
      super(Duration.ofHours(1));
    }

    @Override
    protected boolean isReady() {
      return false;
    }

    @Override
    protected void onOutcome(Outcome outcome, @Nullable Throwable cause) {}
  }

  public static void main(String[] args) throws InterruptedException {
    int operations = close(false);
    int futures = Math.min(close(true), close(true));
    boolean inTime = futures <= TIMES_AS_LONG * (operations + 10);
    System.out.println("futures " + futures + ", operations " + operations);
    System.out.println("in time: " + inTime);
  }

  /** Returns how long it takes, in sleeps of 10 ms. */
  private static int close(boolean futures) throws InterruptedException {
    Timer timer = Timer.builder().start("clock");
    Purgatory<Integer> purgatory = Purgatory.builder("many", Integer.class).timer(timer).build();
    for (int i = 0; i < COUNT; i++) {
      if (futures) {
        var unused =
            purgatory.<String>untilCompleted().orTimeout(Duration.ofHours(1)).hold(i % KEYS);
      } else {
        boolean unused = purgatory.hold(new Operation(), i % KEYS);
      }
    }
    System.gc();
    int sleeps = Wait.sleepsDuring(10, () -> purgatory.close(Duration.ofMillis(100)));
    boolean unused = Wait.until(() -> purgatory.inspect().unanswered() == 0);
    timer.close();
    return sleeps;
  }
}
