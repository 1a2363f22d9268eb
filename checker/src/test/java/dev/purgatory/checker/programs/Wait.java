package dev.purgatory.checker.programs;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/** Waits of the programs. None of them asserts a time: a busy machine may stop any thread. */
final class Wait {
  private static final int SECONDS = 60;

  private Wait() {}

  /** Waits until a condition holds. Returns false if it does not hold after a minute. */
  static boolean until(BooleanSupplier condition) throws InterruptedException {
    long begin = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - begin > Duration.ofSeconds(SECONDS).toNanos()) {
        return false;
      }
      Thread.sleep(5);
    }
    return true;
  }

  /** Sleeps without a checked exception. Returns false if it is interrupted. */
  static boolean sleep(long millis) {
    try {
      Thread.sleep(millis);
      return true;
    } catch (InterruptedException e) {
      return false;
    }
  }

  /**
   * Runs code, and returns how often another thread has slept meanwhile. A busy machine slows both
   * down.
   *
   * @param millis the length of each sleep
   */
  static int sleepsDuring(long millis, Runnable code) throws InterruptedException {
    AtomicInteger sleeps = new AtomicInteger();
    Thread other =
        new Thread(
            () -> {
              while (sleep(millis)) {
                sleeps.incrementAndGet();
              }
            });
    other.setDaemon(true);
    other.start();
    code.run();
    int counted = sleeps.get();
    other.interrupt();
    other.join();
    return counted;
  }
}
