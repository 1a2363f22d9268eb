package dev.purgatory.benchmarks.report;

import static dev.purgatory.benchmarks.report.SampleResults.row;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class ResultTableTest {
  private static final Map<String, String> LOAD = Map.of("rate", "1000");

  @Test
  void eachValueHasALine_thoseOfAMetricTogetherInTheirUsualOrder() {
    Table table =
        ResultTable.of(
            SampleResults.of(
                row("timer", "netty", Map.of("pending", "10000"), "add", "ns", 3, 5, 4),
                row("idle", "kafka", Map.of(), "wake-ups", "1/s", 7),
                row("timer", "kafka", Map.of("pending", "10000"), "add", "ns", 8, 8, 8),
                row("timer", "purgatory", Map.of("pending", "10000"), "add", "ns", 4, 4, 4)));

    assertThat(table.markdown().lines())
        .containsExactly(
            "| what | contender | median | range | JVMs | to Kafka's classes | to the best rival |",
            "| --- | --- | --- | --- | --- | --- | --- |",
            "| timer: add (ns), pending 10,000 | `purgatory` | 4 | 4 | 3 | **0.50 ×** |"
                + " no difference (0.8–1.33) `netty` |",
            "| timer: add (ns), pending 10,000 | `kafka` | 8 | 8 | 3 |  |  |",
            "| timer: add (ns), pending 10,000 | `netty` | 4 | 3–5 | 3 | **0.50 ×** (0.375–0.625) |"
                + "  |",
            "| idle: wake-ups (1/s) | `kafka` | 7 | 7 | 1 |  |  |");
  }

  @Test
  void saysWhyAValueIsNotCompared() {
    Table table =
        ResultTable.of(
            SampleResults.of(
                row("enqueue", "kafka", LOAD, "lag", "ms", 1),
                row("enqueue", "map+stpe", LOAD, "lag", "ms", 1),
                row("enqueue", "map+stpe", LOAD, "rate", "1/s", 900),
                row("enqueue", "delay-queue", LOAD, "lag", "ms", 1),
                row("enqueue", "delay-queue", LOAD, "without an end", "requests", 3)));

    assertThat(table.markdown())
        .contains("| `map+stpe` | 1 | 1 | 1 | does not keep up |")
        .contains("| `delay-queue` | 1 | 1 | 1 | leaves requests without an end |");
  }

  @Test
  void numbersHaveFewDigits() {
    assertThat(Numbers.text(1234567.8)).isEqualTo("1,234,568");
    assertThat(Numbers.text(0.123456)).isEqualTo("0.1235");
    assertThat(Numbers.text(Double.NaN)).isEqualTo(Numbers.NONE);
    assertThat(Numbers.brief(1234.5)).isEqualTo("1,230");
    assertThat(Numbers.range(1.001, 1.002)).isEqualTo("1");
  }
}
