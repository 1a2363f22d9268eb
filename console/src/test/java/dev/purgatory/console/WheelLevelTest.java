package dev.purgatory.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.timer.Timeout;
import dev.purgatory.timer.Timer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class WheelLevelTest {
  /** How many entries a timer moves at a time. */
  private static final int BATCH = 256;

  private long now;
  private final Timer timer = Timer.builder().ticker(() -> now).wheelSize(4).build();

  private Timeout schedule(long millis) {
    return timer.schedule(() -> {}, Duration.ofMillis(millis));
  }

  private List<WheelLevel> levels(int most) {
    return WheelLevel.of(timer, most);
  }

  private void advanceTo(long millis) {
    now = Duration.ofMillis(millis).toNanos();
    timer.advance();
  }

  /** Describes a bucket in milliseconds: level, start, visit, pending, ended. */
  private List<String> buckets() {
    return levels(0).stream()
        .flatMap(
            level ->
                level.buckets().stream()
                    .map(
                        each ->
                            "%d: %d, %d, %d, %d%s"
                                .formatted(
                                    level.number(),
                                    each.start() / 1_000_000,
                                    each.visit() / 1_000_000,
                                    each.pending(),
                                    each.ended(),
                                    each.isSplitting() ? ", splitting" : "")))
        .toList();
  }

  @Test
  void levels_empty_areNone() {
    assertThat(levels(0)).isEmpty();
  }

  @Test
  void levels_sayWhenTheClockVisitsABucket() {
    schedule(0);
    schedule(3);
    schedule(9);
    Timeout cancelled = schedule(11);
    schedule(45);
    assertThat(buckets()).contains("2: 8, 9, 2, 0"); // now it has a bucket
    assertThat(cancelled.cancel()).isTrue();
    assertThat(buckets())
        .containsExactly("0: 0, 0, 1, 0", "1: 3, 3, 1, 0", "2: 8, 9, 1, 1", "3: 32, 45, 1, 0");
    assertThat(levels(0)).extracting(WheelLevel::bucketNanos).contains(0L, 16_000_000L);
    assertThat(levels(0)).extracting(WheelLevel::ended).containsExactly(0L, 0L, 1L, 0L);
    schedule(44);
    assertThat(buckets()).as("out of order").contains("3: 32, 16, 2, 0");
    advanceTo(16);
    assertThat(buckets()).as("sorted").containsExactly("3: 32, 44, 2, 0");
    advanceTo(45);
    assertThat(buckets()).isEmpty();
  }

  @Test
  void levels_duringASplit_sayThatEntriesMove() {
    for (int i = 0; i < 3 * BATCH; i++) {
      schedule(i % 2 == 0 ? 11 : 9); // out of order, and too many to sort
    }
    assertThat(buckets()).containsExactly("2: 8, 4, " + 3 * BATCH + ", 0");
    advanceTo(4);
    assertThat(buckets())
        .containsExactly(
            "1: 9, 9, " + BATCH / 2 + ", 0",
            "1: 11, 11, " + BATCH / 2 + ", 0",
            "2: 8, 8, " + 2 * BATCH + ", 0, splitting");
  }

  @Test
  void levels_addUpStripes_andAgreeWithTheSize() throws InterruptedException {
    for (int i = 0; i < 4; i++) {
      Thread thread = new Thread(() -> schedule(45));
      thread.start();
      thread.join();
    }
    assertThat(buckets()).containsExactly("3: 32, 45, 4, 0");
    assertThat(levels(0).get(0).pending()).isEqualTo(timer.size());
  }

  @Test
  void levels_returnScheduledEntries_asManyAsAskedFor() {
    assertThat(schedule(9).cancel()).isTrue();
    Timeout first = schedule(9);
    Timeout second = schedule(10);
    schedule(11);
    assertThat(levels(2)).singleElement().satisfies(level -> hasEntries(level, first, second));
    assertThat(levels(0).get(0).buckets().get(0).entries()).isEmpty();
  }

  private static void hasEntries(WheelLevel level, Object... expected) {
    assertThat(level.buckets().get(0).entries()).isEqualTo(List.of(expected));
  }
}
