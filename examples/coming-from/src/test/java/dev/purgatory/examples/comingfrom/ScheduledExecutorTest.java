package dev.purgatory.examples.comingfrom;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.executor.WheelScheduledExecutor;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tasks: {@code ScheduledThreadPoolExecutor} and {@link WheelScheduledExecutor}. */
class ScheduledExecutorTest {
  private static final ThreadFactory THREADS = Executors.defaultThreadFactory();

  private final CountDownLatch runs = new CountDownLatch(3);

  private void heartbeat() {
    runs.countDown();
  }

  private void giveUp() {
    throw new AssertionError("it was cancelled");
  }

  private static ScheduledExecutorService before() {
    // sample: from-scheduled-executor
    ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(4, THREADS);
    executor.setRemoveOnCancelPolicy(true); // otherwise, cancelled tasks stay until they are due
    // end
    return executor;
  }

  private static ScheduledExecutorService after() {
    // sample: to-scheduled-executor
    ScheduledExecutorService executor = new WheelScheduledExecutor(4, THREADS);
    // end
    return executor;
  }

  static List<ScheduledExecutorService> executors() {
    return List.of(before(), after());
  }

  @ParameterizedTest
  @MethodSource("executors")
  void tasks_run_orAreCancelled(ScheduledExecutorService executor) throws InterruptedException {
    // sample: scheduled-tasks
    ScheduledFuture<?> timeout = executor.schedule(this::giveUp, 30, SECONDS);
    ScheduledFuture<?> beats = executor.scheduleAtFixedRate(this::heartbeat, 10, 10, MILLISECONDS);
    timeout.cancel(false);
    // end
    assertThat(runs.await(30, SECONDS)).isTrue();
    assertThat(beats.cancel(false)).isTrue();
    assertThat(timeout.isCancelled()).isTrue();
    executor.shutdown();
    assertThat(executor.awaitTermination(30, SECONDS)).isTrue();
  }
}
