package dev.purgatory.benchmarks.contender;

import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** Timeouts on a scheduled executor of the JDK. */
record ExecutorTimeouts(ScheduledExecutorService executor) implements Timeouts {

  /**
   * Returns timeouts on the delay scheduler of a fork-join pool, which exists since JDK 25.
   *
   * @throws UnsupportedOperationException on an older JDK
   */
  static ExecutorTimeouts forkJoin() {
    Object pool = new ForkJoinPool(1);
    if (pool instanceof ScheduledExecutorService executor) {
      return new ExecutorTimeouts(executor);
    }
    throw new UnsupportedOperationException("fork-join pools schedule tasks only since JDK 25");
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
