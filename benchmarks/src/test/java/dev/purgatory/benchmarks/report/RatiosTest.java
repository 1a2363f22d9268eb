package dev.purgatory.benchmarks.report;

import static dev.purgatory.benchmarks.report.SampleResults.row;
import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.benchmarks.results.Results;
import dev.purgatory.benchmarks.results.Row;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RatiosTest {
  private static final Row KAFKA = row("timer", "kafka", Map.of(), "time", "ns", 10, 20, 40);

  private static Row ours(double... values) {
    return row("timer", "purgatory", Map.of(), "time", "ns", values);
  }

  private static Ratios ratios(Row row, Optional<Row> floor) {
    return Ratios.of(row, KAFKA, floor).orElseThrow();
  }

  @Test
  void dividesValuesOfTheSameRound() {
    assertThat(ratios(ours(5, 11, 10), Optional.empty())).isEqualTo(new Ratios(0.5, 0.25, 0.55));
  }

  @Test
  void subtractsTheFloor() {
    Row floor = row("timer", "floor", Map.of(), "time", "ns", 0, 10, 20);

    assertThat(ratios(ours(5, 15, 30), Optional.of(floor))).isEqualTo(new Ratios(0.5, 0.5, 0.5));
  }

  @Test
  void rangeCoversAllPairsIfNumbersOfJvmsDiffer() {
    assertThat(ratios(ours(10, 30), Optional.empty())).isEqualTo(new Ratios(1, 0.25, 3));
  }

  @Test
  void divisorMustBePositive() {
    assertThat(Ratios.of(ours(1), ours(0), Optional.empty())).isEmpty();
    assertThat(Ratios.of(ours(1), ours(5), Optional.of(ours(6)))).isEmpty();
  }

  @Test
  void negativeValueHasNoRatio() {
    assertThat(Ratios.of(ours(-1, 30, 30), KAFKA, Optional.empty())).isEmpty();
    assertThat(Ratios.of(ours(20, 30, 50), KAFKA, Optional.of(ours(0, 0, -1)))).isEmpty();
  }

  @Test
  void differenceMustExistInEachRound() {
    assertThat(new Ratios(0.8, 0.7, 0.99).isDifference()).isTrue();
    assertThat(new Ratios(1.2, 1.01, 1.4).isDifference()).isTrue();
    assertThat(new Ratios(1.2, 1.0, 1.4).isDifference()).isFalse();
    assertThat(Numbers.ratio(new Ratios(1.2, 0.9, 1.4))).isEqualTo("no difference (0.9–1.4)");
    assertThat(Numbers.ratio(new Ratios(0.8, 0.7, 0.99))).isEqualTo("**0.80 ×** (0.7–0.99)");
  }

  @Test
  void lossesAreWorseInEachRoundAndSorted() {
    Results results =
        new Results(
            SampleResults.environment(),
            List.of(
                row("timer", "purgatory", Map.of(), "a", "ns", 11, 12, 13),
                row("timer", "purgatory-kafka", Map.of(), "a", "ns", 20, 20, 20),
                row("timer", "kafka", Map.of(), "a", "ns", 10, 10, 10),
                row("timer", "netty", Map.of(), "a", "ns", 5, 5, 5),
                row("timer", "stpe", Map.of(), "a", "ns", 2, 2, 2),
                row("timer", "purgatory", Map.of(), "b", "ns", 11, 9, 11),
                row("timer", "kafka", Map.of(), "b", "ns", 10, 10, 10),
                row("timer", "purgatory", Map.of(), "timed out", "%", 9),
                row("timer", "kafka", Map.of(), "timed out", "%", 1)));

    assertThat(Losses.toKafka(results).stream().map(loss -> loss.row().contender()))
        .containsExactly("purgatory-kafka", "purgatory");
    assertThat(Losses.toKafka(results).stream().map(loss -> loss.ratios().median()))
        .containsExactly(2.0, 1.2);
    assertThat(Losses.toOthers(results).stream().map(loss -> loss.rival().contender()))
        .containsExactly("stpe");
  }

  @Test
  void higherRateIsNoLoss() {
    Row kafka = rate("kafka", 100);

    assertThat(lossesOf(rate("purgatory", 200), kafka)).isEmpty();
    assertThat(lossesOf(rate("purgatory", 50), kafka)).hasSize(1);
  }

  private static List<Losses.Loss> lossesOf(Row... rows) {
    return Losses.toKafka(new Results(SampleResults.environment(), List.of(rows)));
  }

  private static Row rate(String contender, double value) {
    return new Row("enqueue", contender, Map.of(), "rate", "1/s", true, List.of(value));
  }
}
