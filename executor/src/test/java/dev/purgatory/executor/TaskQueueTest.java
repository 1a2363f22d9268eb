package dev.purgatory.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.testkit.VirtualTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class TaskQueueTest {
  private final WheelScheduledExecutor executor =
      WheelScheduledExecutor.builder()
          .timer(VirtualTime.create().timer())
          .executor(Runnable::run)
          .build();
  private final SplittableRandom random = new SplittableRandom(1);
  private final TaskQueue queue = new TaskQueue();
  private final List<WheelTask<?>> expected = new ArrayList<>();

  private WheelTask<?> task(long deadline) {
    WheelTask<?> task = new WheelTask<>(executor, (Runnable) () -> {}, deadline, 0);
    executor.tasks.add(task, true);
    return task;
  }

  private void add(long deadline) {
    WheelTask<?> task = task(deadline);
    queue.add(task);
    expected.add(task);
    Collections.sort(expected);
  }

  private void removeFirst() {
    Object first = queue.peek();
    assertThat(first).isSameAs(expected.isEmpty() ? null : expected.get(0));
    if (!expected.isEmpty()) {
      queue.remove();
      expected.remove(0);
    }
    assertThat(queue.size()).isEqualTo(expected.size());
  }

  @Test
  void tasksLeaveInOrder() {
    for (int step = 0; step < 3000; step++) {
      if (random.nextInt(20) == 0) {
        expected.stream().filter(task -> random.nextBoolean()).forEach(task -> task.cancel(false));
        expected.removeIf(WheelTask::isCancelled);
        queue.removeCancelled();
      }
      if (random.nextInt(step % 500 < 250 ? 3 : 2) > 0) {
        add(step + (random.nextBoolean() ? 0 : random.nextInt(20)));
      } else {
        removeFirst();
      }
    }
    while (!expected.isEmpty()) {
      removeFirst();
    }
    removeFirst();
  }

  @Test
  void taskWithoutMemoryForTheHeap_takesItsPlace() {
    for (long deadline :
        new long[] {5, 9, 2, 7}) { // the first two are a run, and so are the others
      add(deadline);
    }
    for (long deadline : new long[] {1, 2, 3, 6, 7, 8, 8}) {
      WheelTask<?> task = task(Math.min(deadline, 6));
      queue.addWithoutMemory(task);
      expected.add(task);
    }
    Collections.sort(expected);
    while (!expected.isEmpty()) {
      removeFirst();
    }
  }
}
