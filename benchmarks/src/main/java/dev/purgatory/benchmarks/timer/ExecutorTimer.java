package dev.purgatory.benchmarks.timer;

import dev.purgatory.executor.WheelScheduledExecutor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** A scheduled executor with one thread. */
record ExecutorTimer(ScheduledExecutorService executor) implements BareTimer {

  /** Returns a timer with a heap, from which cancelled tasks are removed. */
  static ExecutorTimer threadPool() {
    ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1);
    executor.setRemoveOnCancelPolicy(true);
    return new ExecutorTimer(executor);
  }

  /** Returns the delay scheduler of a fork-join pool, which exists since JDK 25. */
  static ExecutorTimer forkJoinPool() {
    Object pool = new ForkJoinPool(1);
    return new ExecutorTimer((ScheduledExecutorService) pool);
  }

  /** Returns this library's executor. */
  static ExecutorTimer purgatory() {
    return new ExecutorTimer(
        new WheelScheduledExecutor(1, task -> new Thread(task, "bench-executor")));
  }

  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // The future is the result.
  public Object add(long millis) {
    return executor.schedule(ExecutorTimer::doNothing, millis, TimeUnit.MILLISECONDS);
  }

  @Override
  public void schedule(long nanos, Runnable task) {
    Future<?> unused = executor.schedule(task, nanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public void cancel(Object added) {
    ((ScheduledFuture<?>) added).cancel(false);
  }

  private static void doNothing() {}

  @Override
  public void close() {
    executor.shutdownNow();
  }
}
