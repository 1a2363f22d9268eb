package dev.purgatory.benchmarks.report;

import static dev.purgatory.benchmarks.report.SampleResults.row;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.purgatory.benchmarks.results.Results;
import dev.purgatory.benchmarks.results.Row;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class QuestionTest {
  private static Row at(String rate, String contender, String metric, double value) {
    Map<String, String> load = Map.of("mix", "low", "timeout", "200 ms", "rate", rate, "gc", "G1");
    return row("enqueue", contender, load, metric, "ms", value);
  }

  @Test
  void chartHasTheValuesOfTheTable_withoutThoseThatCannotBeCompared() {
    Results results =
        new Results(
            SampleResults.environment(),
            List.of(
                at("100000", "kafka", "completion lag, p99", 1),
                at("100000", "delay-queue", "completion lag, p99", 1),
                at("100000", "delay-queue", "without an end", 4_985),
                at("800000", "kafka", "completion lag, p99", 142),
                at("800000", "kafka", "rate", 600_000),
                at("800000", "purgatory", "completion lag, p99", 15),
                at("800000", "purgatory", "rate", 799_000)));

    assertThat(Question.COMPLETION_LAG.chart(results).orElseThrow().rows())
        .extracting(Row::contender, row -> row.params().get("rate"))
        .containsExactly(tuple("kafka", "100000"), tuple("purgatory", "800000"));
  }
}
