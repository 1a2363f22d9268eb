package dev.purgatory.executor;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.executor.WheelTask.Stage;
import dev.purgatory.executor.WheelTask.Wait;
import dev.purgatory.testkit.VirtualTime;
import dev.purgatory.threads.TimerInternals;
import dev.purgatory.wheel.WheelTimer;
import org.junit.jupiter.api.Test;

class TaskListTest {
  private final VirtualTime time = VirtualTime.create();
  private final WheelTimer wheels = TimerInternals.of(time.timer()).wheels();
  private final TaskList tasks = new TaskList(wheels);
  private final WheelScheduledExecutor executor =
      WheelScheduledExecutor.builder().timer(time.timer()).executor(Runnable::run).build();
  private final WheelTask<?> task =
      new WheelTask<>(executor, () -> "done", SECONDS.toNanos(1), 0, 0);
  private final Wait wait = new Wait(task, SECONDS.toNanos(1));

  @Test
  void waitOfARemovedTask_isCancelled() {
    tasks.add(task, wait);
    wait.schedule(wheels, 0);
    assertThat(time.timer().size()).isOne();
    assertThat(tasks.remove(task)).isEqualTo(Stage.WAITING);
    assertThat(time.timer().size()).isZero();
    assertThat(wait.isScheduled()).isFalse();
  }

  @Test
  void waitThatBeginsAfterItsTaskWasRemoved_endsAtOnce() {
    tasks.add(task, wait);
    assertThat(tasks.remove(task)).isEqualTo(Stage.WAITING);
    wait.schedule(wheels, 0);
    assertThat(time.timer().size()).isZero();
    assertThat(wait.isScheduled()).isFalse();
  }

  @Test
  void nextWaitOfARemovedTask_isRefused() {
    tasks.add(task, null);
    assertThat(tasks.setWait(task, wait)).isTrue();
    assertThat(tasks.remove(task)).isEqualTo(Stage.WAITING);
    assertThat(tasks.setWait(task, new Wait(task, 0))).isFalse();
  }
}
