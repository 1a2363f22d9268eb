package dev.purgatory.benchmarks.measure;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waits for what other threads do. */
final class Waiting {
  private static final long PAUSE_MILLIS = 5;

  private Waiting() {}

  /** Returns whether the condition was fulfilled within the time. */
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
