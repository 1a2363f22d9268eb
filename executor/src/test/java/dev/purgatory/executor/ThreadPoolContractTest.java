package dev.purgatory.executor;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;

/** The JDK's own executor: it shows that the contract is the JDK's. */
class ThreadPoolContractTest extends ScheduledExecutorContract {
  @Override
  ScheduledExecutorService create(int threads) {
    return new ScheduledThreadPoolExecutor(threads);
  }

  @Override
  void continuePeriodic(ScheduledExecutorService executor, boolean value) {
    ((ScheduledThreadPoolExecutor) executor)
        .setContinueExistingPeriodicTasksAfterShutdownPolicy(value);
  }

  @Override
  void executeDelayed(ScheduledExecutorService executor, boolean value) {
    ((ScheduledThreadPoolExecutor) executor)
        .setExecuteExistingDelayedTasksAfterShutdownPolicy(value);
  }
}
