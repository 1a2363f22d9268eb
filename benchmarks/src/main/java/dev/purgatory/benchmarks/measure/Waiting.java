package dev.purgatory.benchmarks.measure;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waits for conditions that other threads fulfil. */
final class Waiting {
  private static final long PAUSE_MILLIS = 5;

  private Waiting() {}

  /** Waits at most {@code limit} and returns whether the condition was fulfilled. */
  static boolean until(BooleanSupplier condition, Duration limit) throws InterruptedException {
    long end = System.nanoTime() + limit.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - end >= 0) {
        return false;
      }
      Thread.sleep(PAUSE_MILLIS);
    }
    return true;
  }
}
