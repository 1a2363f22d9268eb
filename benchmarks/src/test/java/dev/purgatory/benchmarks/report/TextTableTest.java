package dev.purgatory.benchmarks.report;

import static dev.purgatory.benchmarks.report.SampleResults.row;
import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.benchmarks.results.Ratio;
import dev.purgatory.benchmarks.results.Row;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TextTableTest {
  private static TextTable table(Row... rows) {
    return TextTable.of(Panels.of(List.of(rows)).get(0));
  }

  @Test
  void showsMedianSpreadRatioAndOverhead() {
    TextTable table =
        table(
            row("cpu", "kafka", Map.of(), "time", "ms", 9, 8, 7),
            row("cpu", "purgatory", Map.of(), "time", "ms", 5, 1, 2, 3),
            row("cpu", "floor", Map.of(), "time", "ms", 2));
    assertThat(table.title()).isEqualTo("cpu: Time (ms, lower is better)");
    assertThat(table.header())
        .containsExactly("contender", "median", "min", "max", "ratio to kafka", "above floor");
    assertThat(table.rows())
        .containsExactly(
            List.of("purgatory", "2.5", "1", "5", "0.31 × (0.111–0.714)", "0.5"),
            List.of("kafka", "8", "7", "9", "1.00 ×", "6"),
            List.of("floor", "2", "2", "2", "0.25 × (0.222–0.286)", "–"));
  }

  @Test
  void ratiosAreThoseOfRounds_asInTheTablesOfThePage() {
    Row kafka = row("cpu", "kafka", Map.of(), "time", "ms", 10, 20, 40);
    Row ours = row("cpu", "purgatory", Map.of(), "time", "ms", 9, 10, 38);
    Row other = row("cpu", "map", Map.of(), "time", "ms", 11, 10, 10);
    Panel panel = Panels.of(List.of(kafka, ours, other)).get(0);

    assertThat(Grid.of(panel).rows())
        .extracting(cells -> cells.get(1))
        .containsExactly(
            "10 (9–38), 0.90 × (0.5–0.95)", "20 (10–40)", "10 (10–11), no difference (0.25–1.1)");
    assertThat(TextTable.of(panel).rows())
        .extracting(cells -> cells.get(4))
        .containsExactly("0.90 × (0.5–0.95)", "1.00 ×", "no difference (0.25–1.1)");
  }

  @Test
  void ratioIsToKafkaAtTheSamePosition() {
    TextTable table =
        table(
            row("cpu", "kafka", Map.of("keys", "1"), "time", "ms", 10),
            row("cpu", "kafka", Map.of("keys", "1000"), "time", "ms", 1_000_000),
            row("cpu", "purgatory", Map.of("keys", "1000"), "time", "ms", 250_000),
            row("cpu", "purgatory", Map.of("keys", "5000"), "time", "ms", 7));
    assertThat(table.rows().stream().map(cells -> cells.get(1)))
        .containsExactly("1", "1,000", "1,000", "5,000");
    assertThat(table.rows().stream().map(cells -> cells.get(5)))
        .containsExactly("1.00 ×", "0.25 ×", "1.00 ×", "–");
  }

  @Test
  void doesNotDivideByZero() {
    TextTable table =
        table(
            row("left", "kafka", Map.of(), "bytes", "bytes", 0),
            row("left", "purgatory", Map.of(), "bytes", "bytes", 5));
    assertThat(table.rows().stream().map(cells -> cells.get(4))).containsExactly("–", "–");
  }

  @Test
  void smallRatiosKeepTheirDigitsAndNegativeOnesAreDashes() {
    assertThat(Numbers.ratio(0, 8)).isEqualTo("0 ×");
    assertThat(Numbers.ratio(1, 3_000)).isEqualTo("0.00033 ×");
    assertThat(Numbers.ratio(25_000, 2)).isEqualTo("12,500.00 ×");
    assertThat(Numbers.ratio(-1, 3)).isEqualTo(Numbers.NONE);
    assertThat(Numbers.ratio(1, -3)).isEqualTo(Numbers.NONE);
  }

  @Test
  void differenceMustExistInEachRound() {
    assertThat(new Ratio(0.8, 0.7, 0.99).isDifference()).isTrue();
    assertThat(new Ratio(1.2, 1.01, 1.4).isDifference()).isTrue();
    assertThat(new Ratio(1.2, 1.0, 1.4).isDifference()).isFalse();
    assertThat(Numbers.ratio(new Ratio(1.2, 0.9, 1.4))).isEqualTo("no difference (0.9–1.4)");
    assertThat(Numbers.ratio(new Ratio(0.8, 0.7, 0.99))).isEqualTo("**0.80 ×** (0.7–0.99)");
  }

  @Test
  void negativeValueIsADashAndIsNotDrawn() {
    Panel panel =
        Panels.of(
                List.of(
                    row("memory", "kafka", Map.of("keys", "1"), "heap", "bytes", 10),
                    row("memory", "kafka", Map.of("keys", "100"), "heap", "bytes", 20),
                    row("memory", "purgatory", Map.of("keys", "1"), "heap", "bytes", 5),
                    row("memory", "purgatory", Map.of("keys", "100"), "heap", "bytes", -90, 60)))
            .get(0);

    assertThat(Grid.of(panel).rows().get(0)).containsExactly("purgatory", "5, 0.50 ×", "–");
    assertThat(TextTable.of(panel).rows().get(2))
        .containsExactly("purgatory", "100", "–", "–", "–", "–");
    assertThat(Points.of(panel).of("purgatory")).hasSize(1);
    assertThat(Points.of(panel).lowest()).isEqualTo(5);
    assertThat(Points.of(panel).highest()).isEqualTo(20);
  }

  @Test
  void omitsColumnsWithoutKafkaAndFloor() {
    TextTable table = table(row("cpu", "purgatory", Map.of(), "time", "ms", 2));
    assertThat(table.header()).containsExactly("contender", "median", "min", "max");
  }

  @Test
  void largeNumbersGetALargerUnit() {
    TextTable table = table(row("late", "kafka", Map.of(), "p99", "ns", 12_345_678));
    assertThat(table.title()).contains("(ms,");
    assertThat(table.rows().get(0).get(1)).isEqualTo("12.35");
  }
}
