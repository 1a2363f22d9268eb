package dev.purgatory.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.benchmarks.report.Table;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ResultTablesTest {
  @Test
  void alignsColumns_withoutTheMarksOfMarkdown() {
    Table table =
        new Table(
            "memory: heap",
            List.of("contender", "median", "ratio"),
            List.of(List.of("`kafka`", "1,234", "**0.50 ×** (0.4–0.6)")));

    assertThat(ResultTables.of(table).lines())
        .containsExactly(
            "memory: heap",
            "contender   median              ratio",
            "kafka        1,234   0.50 × (0.4–0.6)");
  }

  @Test
  void formatsDurations() {
    assertThat(BenchProgress.time(Duration.ofSeconds(59))).isEqualTo("59 s");
    assertThat(BenchProgress.time(Duration.ofSeconds(200))).isEqualTo("3 min 20 s");
    assertThat(BenchProgress.time(Duration.ofMinutes(125))).isEqualTo("2 h 5 min");
  }
}
