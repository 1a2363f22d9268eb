package dev.purgatory.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.benchmarks.contender.Contenders;
import dev.purgatory.benchmarks.results.Row;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class PhrasesTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "rate                         | rate    | max   | Requests per second at saturation",
        "rate                         | rate    | 400000| Requests per second at a target of 400,000 per second",
        "completion lag, p99          | mix     | low   | Completion lag, 99th percentile, low mix",
        "heap per pending operation   | keys    | 1     | Heap per pending operation, 1 key",
        "heap per pending operation   | keys    | 100   | Heap per pending operation, 100 keys",
        "own share of CPU, timer      | held    | 2000  | Own share of CPU, timer, 2,000 held",
        "latency, p50                 | rate    | 9 per s | Latency at 9 per s, median",
        "late, p99.9                  | odd     | thing | Lateness of timeouts, 99.9th percentile, odd thing"
      })
  void titleCombinesMetricAndParameter(String metric, String name, String value, String title) {
    assertThat(Phrases.title(metric, Optional.empty(), Map.of(name, value))).isEqualTo(title);
  }

  @Test
  void titleNamesTheAxis() {
    assertThat(Phrases.title("late, p50", Optional.of("pending"), Map.of()))
        .isEqualTo("Lateness of timeouts, median, against pending operations");
  }

  @Test
  void axesHaveANameAndAUnit() {
    assertThat(Phrases.axis("rate")).isEqualTo("target rate (requests per second)");
    assertThat(Phrases.axis("seconds")).isEqualTo("time (s)");
    assertThat(Phrases.axis("keys")).isEqualTo("number of keys");
    assertThat(Phrases.axis("late, p99", "ms")).isEqualTo("lateness of timeouts (ms)");
    assertThat(Phrases.axis("rate", "requests/s")).isEqualTo("requests per second");
    assertThat(Phrases.axis("threads", "threads")).isEqualTo("threads");
  }

  @ParameterizedTest
  @EnumSource(Contenders.class)
  void chartsSayWhatAContenderIs(Contenders contender) {
    assertThat(Phrases.contender(contender.title())).startsWith(contender.title() + " (");
  }

  @Test
  void headingHasTheUnitUnlessTheTitleContainsIt() {
    assertThat(heading("rate", "requests/s")).isEqualTo("Requests per second");
    assertThat(heading("CPU per request", "us")).isEqualTo("Processor time per request (µs)");
  }

  private static String heading(String metric, String unit) {
    Row row = SampleResults.row("enqueue", "kafka", Map.of(), metric, unit, 5);
    return Panels.of(List.of(row)).get(0).heading();
  }
}
