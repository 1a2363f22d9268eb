package dev.purgatory.benchmarks.timer;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** A scheduled executor of the JDK. */
record ExecutorTimer(ScheduledExecutorService executor) implements BareTimer {

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
