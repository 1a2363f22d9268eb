package dev.purgatory.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.testing.Threads;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class WorkerTest {
  private static final int BATCHES = 40;
  private static final int ROUNDS = 100;

  @Test
  void closedWhileTasksAreHandedOver_runsEach() throws InterruptedException {
    Threads.repeat(BATCHES, batch -> raceBatch());
  }

  private static void raceBatch() throws InterruptedException {
    Worker[] workers = new Worker[ROUNDS];
    AtomicInteger[] runs = new AtomicInteger[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
      workers[i] = Worker.serial("worker-test");
      runs[i] = new AtomicInteger();
    }
    CyclicBarrier barrier = new CyclicBarrier(3);
    Threads.Task handOver =
        () -> {
          for (int i = 0; i < ROUNDS; i++) {
            Threads.meet(barrier);
            workers[i].execute(runs[i]::incrementAndGet);
          }
        };
    Threads.Task close =
        () -> {
          for (int i = 0; i < ROUNDS; i++) {
            Threads.meet(barrier);
            workers[i].close();
          }
        };
    Threads.race(handOver, handOver, close);
    for (AtomicInteger each : runs) {
      Threads.until(() -> each.get() == 2);
    }
    assertThat(runs).allSatisfy(each -> assertThat(each).hasValue(2));
  }
}
