package dev.purgatory.executor;

import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.testkit.VirtualTime;
import dev.purgatory.threads.TimerInternals;
import dev.purgatory.timer.Timer;
import dev.purgatory.wheel.WheelTimer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadFactory;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TaskListTest {
  private final VirtualTime time = VirtualTime.create();
  private final WheelTimer wheels = TimerInternals.of(time.timer()).wheels();
  private final List<Runnable> handed = new CopyOnWriteArrayList<>();
  private final WheelScheduledExecutor executor =
      WheelScheduledExecutor.builder().timer(time.timer()).executor(handed::add).build();
  private final TaskList tasks = executor.tasks;

  @Test
  void taskInTheWheels_isFound_untilItEnds() {
    WheelTask<?> task = new WheelTask<>(executor, (Runnable) () -> {}, SECONDS.toNanos(1), 0);
    tasks.add(task, true);
    wheels.schedule(task, 0);
    assertThat(tasks.listed()).isEmpty();
    assertThat(tasks.all()).isEqualTo(List.of(task));
    assertThat(task.cancelBeforeRun()).isTrue();
    assertThat(task.cancelBeforeRun()).isFalse();
    assertThat(tasks.all()).isEmpty();
    assertThat(tasks.size()).isZero();
    assertThat(time.timer().size()).isZero();
  }

  @Test
  void taskThatCouldNotBeScheduled_isWithdrawnOnce() {
    WheelTask<?> task = new WheelTask<>(executor, (Runnable) () -> {}, SECONDS.toNanos(1), 0);
    tasks.add(task, true);
    assertThat(tasks.size()).isOne();
    assertThat(task.withdraw()).isTrue();
    assertThat(task.withdraw()).isFalse();
    assertThat(tasks.size()).isZero();
  }

  /** Schedules a task, and ends its wait as the clock does, before it hands the task over. */
  private WheelTask<?> leavingTheWheels() {
    WheelTask<?> task = (WheelTask<?>) executor.schedule(() -> "done", 1, SECONDS);
    assertThat(wheels.cancel(task)).isTrue();
    return task;
  }

  @Test
  void taskThatIsCancelledWhileItLeavesTheWheels_ends() {
    WheelTask<?> task = leavingTheWheels();
    assertThat(task.cancel(false)).isTrue();
    executor.shutdown();
    assertThat(executor.isTerminated()).isFalse();
    executor.due(task);
    assertThat(executor.isTerminated()).isTrue();
    assertThat(handed).isEmpty();
  }

  @Test
  void taskThatLeavesTheWheels_isReturnedByShutdownNow() throws Exception {
    WheelTask<?> task = leavingTheWheels();
    CompletableFuture<List<Runnable>> waiting = inThread(executor::shutdownNow);
    awaitShutdown(executor);
    executor.due(task);
    assertThat(waiting.get(30, SECONDS)).isEqualTo(List.of(task));
    assertThat(executor.isTerminated()).isTrue();
  }

  @Test
  @SuppressWarnings("FutureReturnValueIgnored") // it is the result
  void taskThatIsNotInTheWheelsYet_isSubjectToThePolicy() throws Exception {
    CountDownLatch scheduling = new CountDownLatch(1);
    CountDownLatch shutDown = new CountDownLatch(1);
    ThreadFactory slow =
        task ->
            new Thread(task) {
              @Override
              @SuppressWarnings("UnsynchronizedOverridesSynchronized")
              public void start() {
                scheduling.countDown();
                await(shutDown);
                super.start();
              }
            };
    try (Timer timer = Timer.builder().start(slow)) {
      WheelScheduledExecutor shared = WheelScheduledExecutor.builder().timer(timer).build();
      shared.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
      CompletableFuture<ScheduledFuture<?>> future =
          inThread(() -> shared.schedule(() -> {}, 1, HOURS));
      await(scheduling);
      CompletableFuture<Boolean> ended =
          inThread(
              () -> {
                shared.shutdown();
                return shared.isTerminated();
              });
      awaitShutdown(shared);
      shutDown.countDown();
      assertThat(ended.get(30, SECONDS)).isTrue(); // first: it cancels what schedule() returns
      assertThat(future.get(30, SECONDS).isCancelled()).isTrue();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(30, SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static <T> CompletableFuture<T> inThread(Supplier<T> action) {
    return CompletableFuture.supplyAsync(action, task -> new Thread(task).start());
  }

  /** Waits until an executor is shut down, and gives that thread the time to look for tasks. */
  private static void awaitShutdown(WheelScheduledExecutor executor) throws InterruptedException {
    while (!executor.isShutdown()) {
      Thread.sleep(1);
    }
    Thread.sleep(20);
  }
}
