package dev.purgatory.console;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.Purgatory;
import dev.purgatory.timer.Timer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RingsTest {
  @SuppressWarnings("unchecked")
  private static List<Map<String, Object>> maps(Map<String, Object> of, String name) {
    return (List<Map<String, Object>>) requireNonNull(of.get(name));
  }

  @Test
  void largeWheels_areShownWithABoundedNumberOfArcs() {
    Timer timer = Timer.builder().ticker(() -> 0).wheelSize(65_536).build();
    for (int i = 1; i <= 100_000; i++) {
      timer.schedule(() -> {}, Duration.ofMillis(i));
    }
    Map<String, Object> level = maps(Rings.describe(timer, Map.of()), "levels").get(0);
    assertThat(level).containsEntry("slots", 131_072).containsEntry("arcs", 128);
    assertThat(level).containsEntry("pending", 100_000L);
    assertThat(maps(level, "buckets"))
        .hasSize(98)
        .first()
        .satisfies(bucket -> assertThat(bucket).containsEntry("pending", 1_023L));
    assertThat(
            maps(level, "buckets").stream()
                .mapToLong(each -> (long) requireNonNull(each.get("pending")))
                .sum())
        .isEqualTo(100_000);
  }

  @Test
  void timers_haveTheNamesOfAllTheirPurgatories() {
    Timer shared = Timer.builder().ticker(() -> 0).build();
    try (Purgatory<String> one = Purgatory.builder("one", String.class).timer(shared).build();
        Purgatory<String> two = Purgatory.builder("two", String.class).timer(shared).build();
        Purgatory<String> alone = Purgatory.builder("alone", String.class).build()) {
      assertThat(new Rings().sample(List.of(one, alone, two), 0))
          .extracting(timer -> timer.get("purgatories"))
          .containsExactly(List.of("one", "two"), List.of("alone"));
    }
  }

  /** The page then says that there is nothing to do. */
  @Test
  void closedTimer_hasEntries_andNoTimeToWakeUp() {
    Timer timer = Timer.builder().ticker(() -> 0).build();
    timer.schedule(() -> {}, Duration.ofSeconds(1));
    assertThat(Rings.describe(timer, Map.of())).containsKey("nextDueMillis");
    timer.close();
    Map<String, Object> closed = Rings.describe(timer, Map.of());
    assertThat(maps(closed, "levels")).isNotEmpty();
    assertThat(closed).doesNotContainKey("nextDueMillis");
  }

  @Test
  void sample_restsAfterReading() {
    Timer timer = Timer.builder().ticker(() -> 0).build();
    try (Purgatory<String> polls = Purgatory.builder("polls", String.class).timer(timer).build()) {
      Rings rings = new Rings();
      assertThat(scheduled(rings, polls, 0)).isZero();
      assertThat(polls.untilCompleted().orTimeout(Duration.ofSeconds(1)).hold("key")).isNotDone();
      assertThat(scheduled(rings, polls, 1)).as("too early to read again").isZero();
      assertThat(scheduled(rings, polls, Duration.ofHours(1).toNanos())).isOne();
      rings.forget();
      assertThat(scheduled(rings, polls, 1)).isOne();
    }
  }

  private static int scheduled(Rings rings, Purgatory<?> purgatory, long nanos) {
    return (int) requireNonNull(rings.sample(List.of(purgatory), nanos).get(0).get("scheduled"));
  }
}
