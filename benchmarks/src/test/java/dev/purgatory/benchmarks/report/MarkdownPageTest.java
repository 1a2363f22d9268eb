package dev.purgatory.benchmarks.report;

import static dev.purgatory.benchmarks.report.SampleResults.row;
import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.benchmarks.results.Results;
import dev.purgatory.benchmarks.results.Row;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MarkdownPageTest {
  private static String page(Row... rows) {
    Results results = new Results(SampleResults.environment(), List.of(rows));
    return Report.of(results).markdown("full.json");
  }

  @Test
  void contendersAreRowsAndTheParameterIsColumns() {
    String page =
        page(
            row("memory", "kafka", Map.of("keys", "1"), "heap", "bytes", 30, 10, 20),
            row("memory", "kafka", Map.of("keys", "1000"), "heap", "bytes", 4000),
            row("memory", "purgatory", Map.of("keys", "1000"), "heap", "bytes", 1000, 2000));
    assertThat(page)
        .endsWith(
            """
            ### Heap, against number of keys (bytes, lower is better)

            ![chart](memory-heap.svg)

            | contender | keys 1 | keys 1,000 |
            | --- | --- | --- |
            | purgatory | – | 1,500 (1,000–2,000), 0.38 × (0.25–0.5) |
            | kafka | 20 (10–30) | 4,000 |
            """);
  }

  @Test
  void columnIsTheUnitWithoutAParameter() {
    assertThat(page(row("late", "floor", Map.of(), "p99", "us", 5)))
        .contains("| contender | µs |\n| --- | --- |\n| floor | 5 |\n");
  }

  @Test
  void showsTheEnvironment() {
    assertThat(page())
        .startsWith("# Tables of `full.json`\n")
        .contains("- Command: `./purgatory bench --only \"late\"`\n", "- JDK: A &lt;JDK&gt; 25\n");
  }

  @Test
  void describesPanelsWithoutNonZeroValues() {
    assertThat(page(row("idle", "a|b", Map.of(), "lost", "requests", 0)))
        .contains("\n\nLost: 0 for a\\|b.\n")
        .doesNotContain("svg", "###");
  }

  @Test
  void doesNotDependOnTheLocale() {
    String page = Report.of(SampleResults.all()).markdown("full.json");
    Locale before = Locale.getDefault();
    try {
      Locale.setDefault(Locale.GERMANY);
      assertThat(Report.of(SampleResults.all()).markdown("full.json")).isEqualTo(page);
    } finally {
      Locale.setDefault(before);
    }
  }
}
