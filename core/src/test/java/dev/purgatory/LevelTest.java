package dev.purgatory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.testing.ManualTicker;
import dev.purgatory.timer.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Compares the order of a level with a sorted list, while requests come and go at random, some with
 * rising thresholds, as most do.
 */
class LevelTest {
  private static final int STEPS = 20_000;

  private final Timer timer = Timer.builder().ticker(new ManualTicker()).build();
  private final Purgatory<String> purgatory =
      Purgatory.builder("test", String.class).timer(timer).build();
  private final Thresholds<String> thresholds = new Thresholds<>(purgatory);
  private final List<Waiter> answered = new ArrayList<>();

  private record Waiter(long threshold, int arrival, HeldFuture<Long> future) {}

  @AfterEach
  void close() {
    purgatory.close();
    timer.close();
  }

  @Test
  void requestsComeAndGoAtRandom_anAdvanceAnswersTheLowestFirst() {
    for (int seed = 0; seed < 4; seed++) {
      int most = 10 << (2 * seed);
      run(new Random(seed), most, /* rising= */ 0);
      run(new Random(seed), most, /* rising= */ 50);
      run(new Random(seed), most, /* rising= */ 99);
    }
  }

  @Test
  void advance_reachesManyAtOnce_answersAll() {
    for (int i = 0; i < 100; i++) {
      Waiter unused = hold(100 - i, i);
    }
    assertThat(thresholds.advance("key", 99)).isEqualTo(99);
    assertThat(answered).extracting(Waiter::threshold).isSorted().endsWith(99L);
    assertThat(thresholds.advance("key", 100)).isEqualTo(1);
  }

  @Test
  void numberIsRemovedByACallback_theNextAdvanceAnswersTheRest() {
    for (int i = 0; i < 100; i++) {
      Waiter waiter = hold(1 + i, i);
      var unused = waiter.future().thenRun(() -> thresholds.remove("key"));
    }
    for (int answers = 0; answers < 100; answers++) {
      assertThat(thresholds.advance("key", 100)).isEqualTo(1);
    }
    assertThat(purgatory.pending()).isZero();
  }

  /**
   * @param rising how many of 100 thresholds are not below those before them
   */
  private void run(Random random, int most, int rising) {
    List<Waiter> waiting = new ArrayList<>();
    long number = 0;
    long highest = 0;
    thresholds.remove("key");
    for (int step = 0; step < STEPS; step++) {
      int choice = random.nextInt(100);
      if (choice < 50 && waiting.size() < most) {
        boolean rises = random.nextInt(100) < rising;
        long least = rises ? Math.max(highest, number + 1) : number + 1;
        long threshold = least + random.nextInt(rises ? 2 : most);
        highest = Math.max(highest, threshold);
        waiting.add(hold(threshold, step));
      } else if (choice < 70 && !waiting.isEmpty()) {
        Waiter gone = waiting.remove(random.nextInt(waiting.size()));
        assertThat(gone.future().cancel(false)).isTrue();
      } else if (choice < 75) {
        thresholds.remove("key");
      } else {
        number += random.nextInt(1 + most / 4);
        answered.clear();
        thresholds.advance("key", number);
        assertThat(answered).isEqualTo(reached(waiting, number));
        waiting.removeAll(answered);
      }
      assertThat(purgatory.pending()).isEqualTo(waiting.size());
    }
    waiting.forEach(each -> each.future().cancel(false));
    thresholds.remove("key");
    assertThat(thresholds.keys()).isZero();
  }

  private Waiter hold(long threshold, int arrival) {
    HeldFuture<Long> future =
        thresholds.reach("key", threshold).orTimeout(Duration.ofMinutes(1)).hold();
    Waiter waiter = new Waiter(threshold, arrival, future);
    var unused = future.thenRun(() -> answered.add(waiter));
    return waiter;
  }

  private static List<Waiter> reached(List<Waiter> waiting, long number) {
    return waiting.stream()
        .filter(each -> each.threshold() <= number)
        .sorted(Comparator.comparingLong(Waiter::threshold).thenComparingInt(Waiter::arrival))
        .toList();
  }
}
