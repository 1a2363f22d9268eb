package dev.purgatory.executor;

import static java.util.Objects.requireNonNull;

import dev.purgatory.timer.Timer;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/** Our executor, with each kind of thread. */
class WheelContractTest {

  abstract static class Contract extends ScheduledExecutorContract {
    @Override
    void continuePeriodic(ScheduledExecutorService executor, boolean value) {
      ((WheelScheduledExecutor) executor)
          .setContinueExistingPeriodicTasksAfterShutdownPolicy(value);
    }

    @Override
    void executeDelayed(ScheduledExecutorService executor, boolean value) {
      ((WheelScheduledExecutor) executor).setExecuteExistingDelayedTasksAfterShutdownPolicy(value);
    }
  }

  @Nested
  class OwnThreads extends Contract {
    @Override
    ScheduledExecutorService create(int threads) {
      return new WheelScheduledExecutor(threads, Executors.defaultThreadFactory());
    }
  }

  @Nested
  class OtherExecutor extends Contract {
    private static final Timer TIMER = Timer.builder().start("shared");
    private static final ExecutorService SINGLE = Executors.newFixedThreadPool(1);
    private static final ExecutorService SEVERAL = Executors.newCachedThreadPool();

    @AfterAll
    static void close() {
      SINGLE.shutdown();
      SEVERAL.shutdown();
      TIMER.close();
    }

    @Override
    ScheduledExecutorService create(int threads) {
      return WheelScheduledExecutor.builder()
          .executor(threads == 1 ? SINGLE : SEVERAL)
          .timer(TIMER)
          .build();
    }
  }

  @Nested
  @EnabledForJreRange(min = JRE.JAVA_21, disabledReason = "virtual threads take JDK 21 or newer")
  class OnVirtualThreads extends Contract {
    private final Executor threads = virtualThreads();

    /** By reflection: the tests are compiled for JDK 17. */
    private static Executor virtualThreads() {
      try {
        Object made = Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        return (Executor) requireNonNull(made);
      } catch (ReflectiveOperationException e) {
        throw new LinkageError("JDK 21 has this method", e);
      }
    }

    @Override
    ScheduledExecutorService create(int threads) {
      return WheelScheduledExecutor.builder().executor(this.threads).build();
    }

    @Override
    boolean ordersEqualDeadlines() {
      return false; // each task has a thread
    }
  }
}
