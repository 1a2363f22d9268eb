package dev.purgatory.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.timer.Timeout;
import dev.purgatory.timer.Timer;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class WheelDrawingTest {
  private long now;
  private final Timer timer = Timer.builder().ticker(() -> now).wheelSize(4).build();

  private Timeout schedule(long millis) {
    return timer.schedule(() -> {}, Duration.ofMillis(millis));
  }

  @Test
  void draw_empty_isOneLine() {
    assertThat(WheelDrawing.of(timer)).isEqualTo("0 scheduled, 0 kept\n");
  }

  @Test
  void draw_smallTimer_showsLevelsAndBuckets() {
    now += Duration.ofMillis(1).toNanos();
    timer.advance();
    timer.scheduleAt(() -> {}, 0);
    schedule(0);
    schedule(2);
    schedule(2);
    Timeout cancelled = schedule(2);
    schedule(5);
    schedule(1_500);
    assertThat(WheelDrawing.of(timer)).contains("in 2 ms: 3 pending"); // now it has a bucket
    assertThat(cancelled.cancel()).isTrue();
    assertThat(WheelDrawing.of(timer))
        .isEqualTo(
            """
            6 scheduled, 7 kept, next due 1 ms ago
            tick 1 ms, 4 buckets per wheel
              due: 1 pending
              level 1, 1 ms per bucket, 8 ms per turn: 4 pending, 1 ended
                now: 1 pending
                in 2 ms: 2 pending, 1 ended
                in 5 ms: 1 pending
              level 5, 256 ms per bucket, 2 s per turn: 1 pending
                in 1.2 s: 1 pending
            """);
    now += Duration.ofMillis(3).toNanos();
    assertThat(WheelDrawing.of(timer)).contains("    1 ms ago: 2 pending, 1 ended\n");
  }

  @Test
  void draw_manyBuckets_mergesRows() {
    Timer wide = Timer.builder().ticker(() -> now).wheelSize(65_536).build();
    for (int i = 1; i <= 100_000; i++) {
      wide.schedule(() -> {}, Duration.ofMillis(i));
    }
    assertThat(WheelDrawing.of(wide).lines())
        .hasSize(3 + WheelDrawing.MAX_ROWS)
        .contains(
            "  level 1, 1 ms per bucket, 2.1 min per turn: 100000 pending",
            "    in 1 ms to in 6.2 s: 6250 pending");
  }

  @Test
  void draw_largeBucket_estimatesEndedEntries() {
    List<Timeout> timeouts = IntStream.range(0, 100_000).mapToObj(i -> schedule(3)).toList();
    for (int i = 3; i < timeouts.size(); i += 4) {
      assertThat(timeouts.get(i).cancel()).isTrue();
    }
    assertThat(WheelDrawing.of(timer)).containsPattern("in 3 ms: 7\\d{4} pending, 2\\d{4} ended");
  }

  @Test
  void draw_anyDeadline_isDrawn() {
    timer.schedule(() -> {}, Duration.ofSeconds(Long.MAX_VALUE));
    assertThat(WheelDrawing.of(timer))
        .contains("292 years per turn: 1 pending", "in 101806.6 d: 1 pending");
    schedule(100);
    timer.reconfigure(Duration.ofDays(1), 4);
    assertThat(WheelDrawing.of(timer))
        .contains("tick 1 d, 4 buckets per wheel", "in 1 d: 1 pending");
  }
}
