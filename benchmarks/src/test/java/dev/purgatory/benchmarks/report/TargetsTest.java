package dev.purgatory.benchmarks.report;

import static dev.purgatory.benchmarks.report.SampleResults.row;
import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.benchmarks.measure.Measurements;
import dev.purgatory.benchmarks.results.Results;
import dev.purgatory.benchmarks.results.Row;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TargetsTest {

  /** Returns results with one cost of replies: ours, that of the best rival, and a greater one. */
  static Results results(double ours, double best) {
    return new Results(
        SampleResults.environment(),
        List.of(reply("purgatory", ours), reply("map+stpe", 2 * best), reply("map+netty", best)));
  }

  private static Row reply(String contender, double nanos) {
    return row("replies", contender, Map.of(), "reply, time", "ns", nanos, nanos);
  }

  @Test
  void comparesWithTheBestRival() {
    assertThat(Targets.table(results(40, 100)))
        .containsExactly(
            List.of(
                "reply by id: time",
                "40 ns",
                "`map+netty` 100 ns",
                "**0.40 ×** (0.4–0.4)",
                "0.8",
                "met"));
  }

  @Test
  void saysThatATargetWasMissed() {
    assertThat(Targets.table(results(80, 100)).get(0)).endsWith("met");
    assertThat(Targets.table(results(81, 100)).get(0)).endsWith("**missed**");
  }

  @Test
  void comparesOnlyWithTheRivalsThatATargetNames() {
    String advance = "advance, time";
    Results results =
        new Results(
            SampleResults.environment(),
            List.of(
                row("thresholds", "purgatory", Map.of("waiters", "10"), advance, "ns", 1),
                row("thresholds", "kafka", Map.of("waiters", "10"), advance, "ns", 200),
                row("thresholds", "skip list+netty", Map.of("waiters", "10"), advance, "ns", 2)));

    assertThat(Targets.table(results)).extracting(cells -> cells.get(3)).hasSize(2);
    assertThat(Targets.ratios(results)).extracting(Row::median).containsExactly(0.005, 0.5);
  }

  @Test
  void targetWithoutResultsIsLeftOut() {
    assertThat(Targets.table(new Results(SampleResults.environment(), List.of()))).isEmpty();
    assertThat(Targets.ratios(new Results(SampleResults.environment(), List.of()))).isEmpty();
  }

  @Test
  void targetsNameExistingMeasurementsAndContenders() {
    for (Target target : Target.ALL) {
      assertThat(Measurements.named(target.bench()).entrants())
          .extracting(entrant -> entrant.title())
          .containsAll(target.rivals());
    }
  }
}
