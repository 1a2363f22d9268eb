package dev.purgatory.benchmarks.report;

import static dev.purgatory.benchmarks.report.SampleResults.row;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.purgatory.benchmarks.measure.Measurements;
import dev.purgatory.benchmarks.results.Results;
import dev.purgatory.benchmarks.results.ResultsJson;
import dev.purgatory.benchmarks.results.Row;
import java.nio.file.Path;
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
  void aTargetCannotChooseItsRivals() {
    Map<String, String> million = Map.of("among", "1000000");
    String cancelling = "cancelling one request, time";
    Results results =
        new Results(
            SampleResults.environment(),
            List.of(
                row("sessions", "purgatory", Map.of(), "heap per session", "bytes", 100),
                row("sessions", "map+netty", Map.of(), "heap per session", "bytes", 120),
                row("sessions", "map+sweep", Map.of(), "heap per session", "bytes", 50),
                row("scopes", "purgatory", million, cancelling, "ns", 22),
                row("scopes", "one by one", million, cancelling, "ns", 24),
                row("scopes", "map+netty", million, cancelling, "ns", 11)));

    assertThat(Targets.table(results))
        .extracting(cells -> cells.get(2), cells -> cells.get(5))
        .containsExactly(
            tuple("`map+sweep` 50 bytes", "**missed**"), tuple("`map+netty` 11 ns", "**missed**"));
    assertThat(Targets.summary(results)).isEqualTo("0 of 2 targets are met.");
  }

  @Test
  void targetWithoutResultsIsLeftOut() {
    assertThat(Targets.table(new Results(SampleResults.environment(), List.of()))).isEmpty();
  }

  @Test
  void targetsNameExistingMeasurements() {
    assertThat(Target.ALL)
        .allSatisfy(
            target -> assertThat(Measurements.named(target.bench()).entrants()).isNotEmpty());
  }

  @Test
  void allTargetsAreCompared() throws Exception {
    Results published = ResultsJson.read(Path.of("../benchmarks/results/features.json"));
    assertThat(Targets.compare(published)).hasSameSizeAs(Target.ALL);
  }
}
