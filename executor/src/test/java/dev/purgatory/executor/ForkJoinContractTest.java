package dev.purgatory.executor;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.condition.JRE;

/**
 * The scheduler of JDK 25. On demand, because with delayed tasks it sometimes does not terminate
 * after a shutdown.
 */
@EnabledIfSystemProperty(
    named = "executor.jdk25",
    matches = "true",
    disabledReason = "-Dexecutor.jdk25=true tests it")
@EnabledForJreRange(
    min = JRE.JAVA_25,
    disabledReason = "ForkJoinPool is a ScheduledExecutorService from JDK 25 on")
class ForkJoinContractTest extends ScheduledExecutorContract {
  @Override
  ScheduledExecutorService create(int threads) {
    ExecutorService pool = new ForkJoinPool(threads);
    return (ScheduledExecutorService) pool;
  }

  @Override
  boolean returnsWaitingTasks() {
    return false;
  }

  @Override
  boolean ordersEqualDeadlines() {
    return false;
  }

  @Override
  void continuePeriodic(ScheduledExecutorService executor, boolean value) {
    assumeTrue(false, "ForkJoinPool has no such policy");
  }

  /** By reflection: the tests are compiled for JDK 17. */
  @Override
  void executeDelayed(ScheduledExecutorService executor, boolean value) {
    assumeTrue(!value, "ForkJoinPool has no such policy");
    try {
      ForkJoinPool.class.getMethod("cancelDelayedTasksOnShutdown").invoke(executor);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("JDK 25 has this method", e);
    }
  }
}
