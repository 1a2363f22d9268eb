package dev.purgatory.benchmarks.contender;

import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Keeps timeouts by a scheduled executor of the JDK. */
record ExecutorTimeouts(ScheduledExecutorService executor) implements Timeouts {

  /** One thread and a heap, from which cancelled tasks are removed. */
  static ExecutorTimeouts threadPool() {
    ScheduledThreadPoolExecutor executor =
        new ScheduledThreadPoolExecutor(1, task -> daemon(new Thread(task, "bench-timeouts")));
    executor.setRemoveOnCancelPolicy(true);
    return new ExecutorTimeouts(executor);
  }

  private static Thread daemon(Thread thread) {
    thread.setDaemon(true);
    return thread;
  }

  /**
   * The delay scheduler that JDK 25 has in its fork-join pools.
   *
   * @throws UnsupportedOperationException on an older JDK
   */
  static ExecutorTimeouts forkJoin() {
    Object pool = new ForkJoinPool(1);
    if (pool instanceof ScheduledExecutorService executor) {
      return new ExecutorTimeouts(executor);
    }
    throw new UnsupportedOperationException("fork-join pools keep time from JDK 25 on");
  }

  @Override
  public Runnable start(Runnable task, long millis) {
    ScheduledFuture<?> future = executor.schedule(task, millis, TimeUnit.MILLISECONDS);
    return () -> future.cancel(false);
  }

  @Override
  public void close() {
    executor.shutdownNow();
  }
}
