package dev.purgatory.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.benchmarks.results.Results;
import dev.purgatory.benchmarks.results.ResultsJson;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Checks the charts on docs/operators/kafka-operators.md against their results. This draws them:
 * {@code ./purgatory bench chart benchmarks/results/retained.json --out docs/charts/retained}
 */
class RetainedResultsTest {
  private static final Path HOME = Path.of("..");
  private static final Path CHARTS = HOME.resolve("docs/charts/retained");

  private static List<Drawing> charts() throws Exception {
    Results results = ResultsJson.read(HOME.resolve("benchmarks/results/retained.json"));
    return Panels.of(results.rows()).stream()
        .map(panel -> Drawing.of(panel, results.environment()))
        .toList();
  }

  @Test
  void chartsMatchTheResults() throws Exception {
    assertThat(charts()).hasSize(2);
    for (Drawing chart : charts()) {
      assertThat(PublishedResultsTest.description(CHARTS.resolve(chart.file())))
          .isEqualTo(chart.description());
    }
  }

  @Test
  void thePageShowsTheHeap() throws Exception {
    assertThat(Files.readString(HOME.resolve("docs/operators/kafka-operators.md")))
        .contains("(../charts/retained/" + charts().get(0).file() + ")");
  }
}
