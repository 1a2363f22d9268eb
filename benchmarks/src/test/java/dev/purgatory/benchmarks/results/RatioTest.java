package dev.purgatory.benchmarks.results;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RatioTest {
  private static final Row KAFKA = row("kafka", "ns", 10, 20, 40);

  private static Row row(String contender, String unit, double... values) {
    List<Double> list = Arrays.stream(values).boxed().toList();
    return new Row("timer", contender, Map.of(), "time", unit, false, list);
  }

  private static Row ours(double... values) {
    return row("purgatory", "ns", values);
  }

  private static Ratio ratios(Row row, Optional<Row> floor) {
    return Ratio.of(row, KAFKA, floor).orElseThrow();
  }

  @Test
  void dividesValuesOfTheSameRound() {
    assertThat(ratios(ours(5, 11, 10), Optional.empty())).isEqualTo(new Ratio(0.5, 0.25, 0.55));
  }

  @Test
  void subtractsTheFloor() {
    Row floor = row("floor", "ns", 0, 10, 20);

    assertThat(ratios(ours(5, 15, 30), Optional.of(floor))).isEqualTo(new Ratio(0.5, 0.5, 0.5));
  }

  @Test
  void rangeCoversAllPairsIfNumbersOfJvmsDiffer() {
    assertThat(ratios(ours(10, 30), Optional.empty())).isEqualTo(new Ratio(1, 0.25, 3));
  }

  @Test
  void divisorMustBePositive() {
    assertThat(Ratio.of(ours(1), ours(0), Optional.empty())).isEmpty();
    assertThat(Ratio.of(ours(1), ours(5), Optional.of(ours(6)))).isEmpty();
  }

  @Test
  void divisorMustNotBeNegligible() {
    Row allocation = row("purgatory", "bytes", 3.3);
    Row nothing = row("map+sweep", "bytes", 0.0001);

    assertThat(Ratio.of(allocation, nothing, Optional.empty())).isEmpty();
    assertThat(Ratio.isAbove(allocation, nothing, Optional.empty())).isTrue();
    assertThat(Ratio.isAbove(nothing, allocation, Optional.empty())).isFalse();
  }

  @Test
  void negativeValueHasNoRatio() {
    assertThat(Ratio.of(ours(-1, 30, 30), KAFKA, Optional.empty())).isEmpty();
    assertThat(Ratio.of(ours(20, 30, 50), KAFKA, Optional.of(ours(0, 0, -1)))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "0.5, 0.4, 0.6, DIFFERENCE",
    "2, 1.5, 3, DIFFERENCE",
    "1.01, 1.005, 1.02, NO_DIFFERENCE",
    "1.05, 0.9, 1.2, NO_DIFFERENCE",
    "0.95, 0.9, 1.2, NO_DIFFERENCE",
    "2, 0.99, 2.1, UNCERTAIN",
    "0.8, 0.5, 1.1, UNCERTAIN"
  })
  void roundsThatDisagree_areUncertain_unlessTheirMedianIsNearOne(
      double median, double least, double greatest, Ratio.Verdict verdict) {
    assertThat(new Ratio(median, least, greatest).verdict()).isEqualTo(verdict);
  }
}
