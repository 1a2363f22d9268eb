package dev.purgatory.checker;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits, in real time, for other threads. */
final class Patience {
  /** The threads of an idle purgatory end after one second, and a busy machine stops threads. */
  private static final long LIMIT_NANOS =
      TimeUnit.SECONDS.toNanos(Integer.getInteger("patience.seconds", 20));

  private static final long SPIN_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(30);
  private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

  private Patience() {}

  /**
   * Waits until a condition holds, up to a limit.
   *
   * @throws Finding the given one, if the condition still does not hold
   */
  static void await(BooleanSupplier condition, Supplier<Finding> otherwise) {
    await(condition, LIMIT_NANOS, () -> LockSupport.parkNanos(PAUSE_NANOS), otherwise);
  }

  /**
   * Spins until a condition holds, for thirty seconds at most. For work that takes microseconds.
   *
   * @throws Finding the given one, if the condition still does not hold
   */
  static void spin(BooleanSupplier condition, Supplier<Finding> otherwise) {
    await(condition, SPIN_LIMIT_NANOS, Thread::onSpinWait, otherwise);
  }

  private static void await(
      BooleanSupplier condition, long limitNanos, Runnable pause, Supplier<Finding> otherwise) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - start > limitNanos) {
        throw otherwise.get();
      }
      pause.run();
    }
  }

  /**
   * Runs code, and returns how often another thread has slept during that. A busy machine slows
   * both down.
   *
   * @param millis the length of each sleep
   */
  static int sleepsDuring(long millis, Runnable code) {
    AtomicInteger sleeps = new AtomicInteger();
    AtomicBoolean ended = new AtomicBoolean();
    Thread other =
        new Thread(
            () -> {
              while (!ended.get()) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
                sleeps.incrementAndGet();
              }
            },
            "sleeps");
    other.setDaemon(true);
    other.start();
    code.run();
    ended.set(true);
    return sleeps.get();
  }

  /**
   * Repeats a check until it finds nothing, up to a limit.
   *
   * @throws Finding what the last check found
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
