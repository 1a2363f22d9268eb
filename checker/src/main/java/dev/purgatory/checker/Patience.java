package dev.purgatory.checker;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits, in real time, for what other threads do. */
final class Patience {
  /** The threads of an idle purgatory end after one second. */
  private static final long LIMIT_SECONDS = 3;

  private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
  private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

  private Patience() {}

  /**
   * Waits until a condition holds, for three seconds at most.
   *
   * @throws Finding the given one if the condition does not hold by then
   */
  static void await(BooleanSupplier condition, Supplier<Finding> otherwise) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - start > LIMIT_NANOS) {
        throw otherwise.get();
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  /**
   * Runs a check again and again until it finds nothing, for three seconds at most.
   *
   * @throws Finding what the check still finds then
   */
  static void awaitNoFinding(Runnable check) {
    long start = System.nanoTime();
    for (; ; ) {
      try {
        check.run();
        return;
      } catch (Finding finding) {
        if (System.nanoTime() - start > LIMIT_NANOS) {
          throw finding;
        }
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }
}
