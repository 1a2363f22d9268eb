package dev.purgatory.base;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.testing.Threads;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.Test;

class StripedCounterTest {
  private static final int THREADS = 3;

  private final StripedCounter counter = new StripedCounter();

  @Test
  void oneThreadAtATime_needsNoCells() throws InterruptedException {
    for (int i = 1; i <= 3; i++) {
      int expected = 2 * i;
      Threads.start(() -> assertThat(counter.add(2)).isEqualTo(expected)).join();
    }
    assertThat(counter.sum()).isEqualTo(6);
    assertThat(counter.cells).isNull();
  }

  /** Threads that meet use cells of their own from then on. */
  @Test
  void threadsThatMeet_addExactly() throws InterruptedException {
    CyclicBarrier barrier = new CyclicBarrier(THREADS);
    List<Threads.Task> tasks = new ArrayList<>();
    for (int thread = 0; thread < THREADS; thread++) {
      int delta = thread - 1;
      tasks.add(
          () -> {
            Threads.meet(barrier);
            for (int i = 0; i < 100_000; i++) {
              counter.add(delta + 2);
            }
          });
    }
    int rounds = 0;
    long begin = System.nanoTime();
    do { // on one processor, they seldom meet
      Threads.race(tasks);
      rounds++;
      assertThat(counter.sum()).isEqualTo(rounds * 600_000L);
    } while (counter.cells == null && System.nanoTime() - begin < Threads.PATIENCE.toNanos());
    assertThat(counter.cells).isNotNull();
    Threads.race(tasks);
    assertThat(counter.sum()).isEqualTo((rounds + 1) * 600_000L);
  }
}
