package dev.purgatory.executor;

import static java.util.Objects.requireNonNull;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.executor.WheelTask.Stage;
import dev.purgatory.executor.WheelTask.Wait;
import dev.purgatory.testkit.VirtualTime;
import dev.purgatory.threads.TimerInternals;
import dev.purgatory.wheel.WheelTimer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TaskListTest {
  private final VirtualTime time = VirtualTime.create();
  private final WheelTimer wheels = TimerInternals.of(time.timer()).wheels();
  private final TaskList tasks = new TaskList(wheels);
  private final WheelScheduledExecutor executor =
      WheelScheduledExecutor.builder().timer(time.timer()).executor(Runnable::run).build();

  private WheelTask<?> newTask(long period) {
    return new WheelTask<>(executor, () -> "done", SECONDS.toNanos(1), period, true);
  }

  private static Wait waitOf(WheelTask<?> task) {
    return requireNonNull(task.wait);
  }

  @Test
  void taskInTheWheels_isFound_untilItIsRemoved() {
    WheelTask<?> task = newTask(0);
    tasks.add(task);
    wheels.schedule(waitOf(task), 0);
    assertThat(tasks.listed()).isEmpty();
    assertThat(tasks.all(executor)).isEqualTo(List.of(task));
    assertThat(tasks.remove(task)).isEqualTo(Stage.WAITING);
    assertThat(tasks.remove(task).isBeforeRun()).isFalse();
    assertThat(tasks.all(executor)).isEmpty();
    assertThat(tasks.size()).isZero();
    assertThat(time.timer().size()).isZero();
  }

  @Test
  void taskThatCouldNotBeScheduled_isWithdrawnOnce() {
    WheelTask<?> task = newTask(0);
    tasks.add(task);
    assertThat(tasks.size()).isOne();
    assertThat(tasks.withdraw(task)).isTrue();
    assertThat(tasks.size()).isZero();
  }

  @Test
  void waitThatBeginsAfterItsPeriodicTaskWasRemoved_endsAtOnce() {
    WheelTask<?> task = newTask(1);
    tasks.add(task);
    assertThat(tasks.remove(task)).isEqualTo(Stage.WAITING);
    wheels.schedule(waitOf(task), 0);
    tasks.cancelWaitIfEnded(task);
    assertThat(time.timer().size()).isZero();
    assertThat(waitOf(task).isScheduled()).isFalse();
  }

  /** Schedules a task, and ends its wait as the clock does, before it hands the task over. */
  private WheelTask<?> leavingTheWheels() {
    WheelTask<?> task = (WheelTask<?>) executor.schedule(() -> "done", 1, SECONDS);
    assertThat(waitOf(task).end()).isTrue();
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
  }

  @Test
  void taskThatLeavesTheWheels_isReturnedByShutdownNow() throws Exception {
    WheelTask<?> task = leavingTheWheels();
    CompletableFuture<List<Runnable>> waiting =
        CompletableFuture.supplyAsync(executor::shutdownNow);
    awaitShutdown();
    executor.due(task);
    assertThat(waiting.get(30, SECONDS)).isEqualTo(List.of(task));
    assertThat(executor.isTerminated()).isTrue();
  }

  @Test
  void taskThatLeavesTheWheels_isSubjectToThePolicy() throws Exception {
    WheelTask<?> task = leavingTheWheels();
    executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    CompletableFuture<Void> shutdown = CompletableFuture.runAsync(executor::shutdown);
    awaitShutdown();
    executor.due(task);
    shutdown.get(30, SECONDS);
    assertThat(task.isCancelled()).isTrue();
    assertThat(executor.isTerminated()).isTrue();
  }

  /** Waits until the executor is shut down, and gives the thread the time to look for tasks. */
  private void awaitShutdown() throws InterruptedException {
    while (!executor.isShutdown()) {
      Thread.sleep(1);
    }
    Thread.sleep(20);
  }
}
