package dev.purgatory.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.benchmarks.report.TextTable;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ResultTablesTest {
  private static final TextTable TABLE =
      new TextTable(
          "memory: heap", List.of("contender", "median"), List.of(List.of("kafka", "1,234")));

  @Test
  void separatesAndAlignsTables() {
    assertThat(ResultTables.of(List.of(TABLE, TABLE)).lines())
        .containsExactly(
            "memory: heap",
            "contender   median",
            "kafka        1,234",
            "",
            "memory: heap",
            "contender   median",
            "kafka        1,234");
  }

  @Test
  void formatsDurations() {
    assertThat(BenchProgress.time(Duration.ofSeconds(59))).isEqualTo("59 s");
    assertThat(BenchProgress.time(Duration.ofSeconds(200))).isEqualTo("3 min 20 s");
    assertThat(BenchProgress.time(Duration.ofMinutes(125))).isEqualTo("2 h 5 min");
  }
}
