package dev.purgatory.benchmarks.timer;

import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** A scheduled executor of the JDK. */
record ExecutorTimer(ScheduledExecutorService executor) implements BareTimer {

  /** One thread and a heap, from which cancelled tasks are removed. */
  static ExecutorTimer threadPool() {
    ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1);
    executor.setRemoveOnCancelPolicy(true);
    return new ExecutorTimer(executor);
  }

  /** The delay scheduler that JDK 25 has in its fork-join pools. */
  static ExecutorTimer forkJoinPool() {
    Object pool = new ForkJoinPool(1);
    return new ExecutorTimer((ScheduledExecutorService) pool);
  }

  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // It is what is returned.
  public Object add(long millis) {
    return executor.schedule(ExecutorTimer::doNothing, millis, TimeUnit.MILLISECONDS);
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
