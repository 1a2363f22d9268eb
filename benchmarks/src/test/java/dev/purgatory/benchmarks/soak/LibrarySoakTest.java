package dev.purgatory.benchmarks.soak;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.benchmarks.results.Row;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the soak itself with a run of a few seconds, and the rule that detects growth. */
class LibrarySoakTest {
  private static final LibrarySoakPlan PLAN =
      new LibrarySoakPlan(
          Duration.ofSeconds(6), Duration.ofMillis(300), Duration.ofMillis(100), 20_000);
  private static final double MAX_ENTRIES_AT_REST = 5_000;
  private static final List<Metric> MAY_GROW = List.of(Metric.LATENESS, Metric.THREADS);

  @Test
  @Timeout(120)
  void samplesAllMetricsAndRetainsAlmostNothingWhenIdle() throws Exception {
    LibrarySoak.Outcome outcome = LibrarySoak.run(PLAN, (elapsed, operations) -> {});
    assertThat(outcome.operations()).isGreaterThan(3L * PLAN.burst());
    assertThat(outcome.rows().stream().map(Row::metric))
        .containsAll(Stream.of(Metric.values()).map(Metric::title).toList());
    assertThat(outcome.rows().stream().filter(LibrarySoakTest::isAtRest).map(Row::median))
        .isNotEmpty()
        .allMatch(kept -> kept < MAX_ENTRIES_AT_REST);
    // On a busy machine, timeouts are late, and more helper threads start because others look
    // blocked.
    assertThat(outcome.growth())
        .allMatch(line -> MAY_GROW.stream().anyMatch(metric -> line.startsWith(metric.title())));
  }

  private static boolean isAtRest(Row row) {
    return row.metric().equals(Metric.IDLE_ENTRIES.title());
  }

  @Test
  void acceptsALastThirdSlightlyAboveTheFirst() {
    List<Double> heap = List.of(10e6, 60e6, 10e6, 500e6, 10e6, 500e6, 109e6, 10e6, 10e6);
    assertThat(Flatness.growth(Metric.IDLE_HEAP, heap)).isEmpty();
  }

  @Test
  void reportsALastThirdFarAboveTheFirst() {
    List<Double> heap = List.of(10e6, 10e6, 10e6, 20e6, 30e6, 37e6);
    assertThat(Flatness.growth(Metric.IDLE_HEAP, heap))
        .hasValue(
            "heap after a collection, nothing pending grew from 10,000,000 to 37,000,000 bytes");
  }

  @Test
  void doesNotJudgeMetricsThatFollowTheLoad() {
    List<Double> pending = List.of(0.0, 1e6, 1e9);
    assertThat(Flatness.growth(Metric.PENDING, pending)).isEmpty();
  }

  @Test
  void doesNotJudgeTooFewValues() {
    assertThat(Flatness.growth(Metric.THREADS, Collections.nCopies(2, 1e9))).isEmpty();
  }
}
