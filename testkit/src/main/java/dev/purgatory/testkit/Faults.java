package dev.purgatory.testkit;

import static java.util.Objects.requireNonNull;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes executors and conditions that fail. See also {@link VirtualTime#executor(
 * java.time.Duration)}, which delays tasks, and {@link VirtualTime#jump}, a clock that jumps or
 * runs backwards.
 */
public final class Faults {
  private Faults() {}

  /**
   * Returns an executor that rejects every task.
   *
   * @return throws a {@link RejectedExecutionException}
   */
  public static Executor rejecting() {
    return task -> {
      throw new RejectedExecutionException("injected by the test");
    };
  }

  /**
   * Returns an executor that accepts every task and runs none.
   *
   * @return does nothing
   */
  public static Executor dropping() {
    return task -> {};
  }

  /**
   * Returns an executor that runs every task twice.
   *
   * @param executor runs the tasks
   * @return hands each task over twice
   */
  public static Executor twice(Executor executor) {
    requireNonNull(executor, "executor");
    return task -> {
      executor.execute(task);
      executor.execute(task);
    };
  }

  /**
   * Returns an executor that runs each task on a new thread, and waits until it has run. So tests
   * stay deterministic. The thread throws what the task throws.
   *
   * @return if the calling thread is interrupted, the wait ends and the interrupt status stays set
   */
  public static Executor onAnotherThread() {
    return task -> {
      Thread thread = new Thread(task, "test-executor");
      thread.setDaemon(true);
      thread.start();
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    };
  }

  /**
   * Returns an executor that fails for one task.
   *
   * @param n the number of the task, from 1
   * @param faulty gets that task
   * @param executor gets all other tasks
   * @return the combination of both
   * @throws IllegalArgumentException if the number is less than 1
   */
  public static Executor atTask(int n, Executor faulty, Executor executor) {
    requireNonNull(faulty, "faulty");
    requireNonNull(executor, "executor");
    Counter counter = new Counter(n);
    return task -> (counter.isNow() ? faulty : executor).execute(task);
  }

  /**
   * Returns a condition, or another supplier, that throws at one evaluation.
   *
   * @param n the number of the evaluation, from 1. A request that is held is evaluated twice, and
   *     once more at each signal and at its timeout
   * @param error thrown at that evaluation
   * @param condition evaluated at all others
   * @param <T> the type of the result
   * @return the condition with the fault
   * @throws IllegalArgumentException if the number is less than 1
   */
  public static <T extends @Nullable Object> Supplier<T> throwingAt(
      int n, RuntimeException error, Supplier<? extends T> condition) {
    requireNonNull(error, "error");
    requireNonNull(condition, "condition");
    Counter counter = new Counter(n);
    return () -> {
      if (counter.isNow()) {
        throw error;
      }
      return condition.get();
    };
  }

  /** Counts calls, from any threads. */
  private static final class Counter {
    private final AtomicInteger left;

    Counter(int n) {
      if (n < 1) {
        throw new IllegalArgumentException("number " + n + " is less than 1");
      }
      left = new AtomicInteger(n);
    }

    boolean isNow() {
      return left.getAndUpdate(n -> Math.max(0, n - 1)) == 1;
    }
  }
}
