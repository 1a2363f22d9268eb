package dev.purgatory.timer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.testing.ManualTicker;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class WheelRecommendationTest {
  private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

  /** Returns the recommendation for that many delays of each of these lengths. */
  private static WheelRecommendation of(long... nanosAndCounts) {
    long[] counts = new long[Long.SIZE];
    for (int i = 0; i < nanosAndCounts.length; i += 2) {
      counts[Long.SIZE - Long.numberOfLeadingZeros(nanosAndCounts[i])] += nanosAndCounts[i + 1];
    }
    return WheelRecommendation.of(counts, MILLI, 20);
  }

  @Test
  void of_nothingObserved_keepsTheSettings() {
    WheelRecommendation kept =
        new WheelRecommendation(Duration.ofMillis(1), 20, 0, Duration.ZERO, Duration.ZERO);
    assertThat(of()).isEqualTo(kept);
    assertThat(of(0, 1_000)).isEqualTo(kept);
  }

  @Test
  void of_oneDelay_fitsIt() {
    WheelRecommendation halfAMinute = of(30_000 * MILLI, 1);
    assertThat(halfAMinute.tick()).isEqualTo(Duration.ofMillis(100));
    assertThat(halfAMinute.wheelSize()).isEqualTo(512);
    assertThat(halfAMinute.observed()).isEqualTo(1);
    assertThat(halfAMinute.shortest()).isEqualTo(Duration.ofNanos(1L << 34));
    assertThat(halfAMinute.usual()).isEqualTo(Duration.ofNanos(1L << 35));
  }

  @Test
  void of_anyDelay_keepsItsPromises() {
    for (int bits = 1; bits < Long.SIZE; bits++) {
      WheelRecommendation fit = of(1L << (bits - 1), 100);
      long tick = fit.tick().toNanos();
      long delay = 1L << (bits - 1);
      assertThat(tick).isGreaterThanOrEqualTo(MILLI);
      assertThat(tick == MILLI || tick * 100 <= delay).as("tick for 2^%s ns", bits).isTrue();
      assertThat(tick * 250).as("not shorter than needed").isGreaterThan(delay);
      assertThat(fit.wheelSize()).isBetween(64, 512);
      assertThat(fit.wheelSize()).isGreaterThanOrEqualTo((int) Math.min(512, delay / tick));
    }
  }

  @Test
  void of_mixture_ignoresTheShortestTwentiethAndTheLongestQuarter() {
    long second = 1_000 * MILLI;
    WheelRecommendation usual = of(second, 100);
    assertThat(of(MILLI, 4, second, 76, 1_000_000 * second, 20).tick()).isEqualTo(usual.tick());
    assertThat(of(MILLI, 4, second, 76, 1_000_000 * second, 20).wheelSize())
        .isEqualTo(usual.wheelSize());
    assertThat(of(MILLI, 6, second, 94).tick()).isEqualTo(Duration.ofMillis(1));
    assertThat(of(second, 74, 1_000 * second, 26).wheelSize()).isEqualTo(1_024);
  }

  @Test
  void recommendation_scheduledDelays_areObservedOnAllStripes() {
    ManualTicker ticker = new ManualTicker();
    Timer timer = Timer.builder().ticker(ticker).tick(Duration.ofMillis(3)).wheelSize(20).build();
    assertThat(timer.recommendation())
        .isEqualTo(
            new WheelRecommendation(Duration.ofMillis(3), 20, 0, Duration.ZERO, Duration.ZERO));
    ticker.advance(Duration.ofDays(1));
    for (int i = 0; i < 10; i++) {
      timer.schedule(() -> {}, 30, TimeUnit.SECONDS);
      timer.schedule(() -> {}, -1, TimeUnit.SECONDS);
      timer.scheduleAt(() -> {}, Long.MIN_VALUE + 1);
    }
    WheelRecommendation fit = timer.recommendation();
    assertThat(fit).isEqualTo(of(30_000 * MILLI, 10));
    timer.reconfigure(fit.tick(), fit.wheelSize());
    assertThat(timer.recommendation()).isEqualTo(fit);
  }
}
