package dev.purgatory.executor;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.executor.WheelTask.Stage;
import dev.purgatory.testkit.VirtualTime;
import dev.purgatory.timer.Timeout;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class TaskListTest {
  private final VirtualTime time = VirtualTime.create();
  private final TaskList tasks = new TaskList();
  private final WheelScheduledExecutor executor =
      WheelScheduledExecutor.builder().timer(time.timer()).executor(Runnable::run).build();
  private final WheelTask<?> task =
      new WheelTask<>(executor, () -> "done", SECONDS.toNanos(1), 0, 0);

  private Timeout timeout() {
    return time.timer().schedule(() -> {}, Duration.ofSeconds(1));
  }

  @Test
  void timeoutOfAWaitingTask_isCancelledWithIt() {
    Timeout timeout = timeout();
    tasks.add(task);
    assertThat(tasks.setTimeout(task, timeout)).isTrue();
    assertThat(tasks.remove(task)).isEqualTo(Stage.WAITING);
    assertThat(timeout.isPending()).isFalse();
  }

  @Test
  void timeoutOfARemovedTask_isNotSet() {
    tasks.add(task);
    assertThat(tasks.remove(task)).isEqualTo(Stage.WAITING);
    assertThat(tasks.setTimeout(task, timeout())).isFalse();
    assertThat(task.timeout).isNull();
  }

  @Test
  void timeoutThatHasFired_isNotSet() {
    Timeout timeout = timeout();
    time.advance(Duration.ofSeconds(1));
    tasks.add(task);
    assertThat(tasks.setTimeout(task, timeout)).isTrue();
    assertThat(task.timeout).isNull();
  }
}
