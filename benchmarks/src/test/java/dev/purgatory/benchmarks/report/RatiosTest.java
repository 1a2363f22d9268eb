package dev.purgatory.benchmarks.report;

import static dev.purgatory.benchmarks.report.SampleResults.row;
import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.benchmarks.results.Row;
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
  void divisorMustNotBeNegligible() {
    Row allocation = row("sessions", "purgatory", Map.of(), "touch", "bytes", 3.3);
    Row nothing = row("sessions", "map+sweep", Map.of(), "touch", "bytes", 0.0001);

    assertThat(Ratios.of(allocation, nothing, Optional.empty())).isEmpty();
    assertThat(Ratios.isAbove(allocation, nothing, Optional.empty())).isTrue();
    assertThat(Ratios.isAbove(nothing, allocation, Optional.empty())).isFalse();
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
}
