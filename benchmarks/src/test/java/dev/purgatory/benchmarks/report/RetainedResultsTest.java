package dev.purgatory.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.benchmarks.results.ResultsJson;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Checks the charts on docs/kafka-operators.md against their results. This draws them: {@code
 * ./purgatory bench chart benchmarks/results/retained.json --out docs/charts/retained}
 */
class RetainedResultsTest {
  private static final Path HOME = Path.of("..");
  private static final Path CHARTS = HOME.resolve("docs/charts/retained");

  private static List<Panel> panels() throws Exception {
    return Panels.of(ResultsJson.read(HOME.resolve("benchmarks/results/retained.json")).rows());
  }

  @Test
  void chartsMatchTheResults() throws Exception {
    assertThat(panels()).hasSize(2);
    for (Panel panel : panels()) {
      Path chart = CHARTS.resolve(panel.id() + ".svg");
      assertThat(PublishedResultsTest.description(chart)).isEqualTo(SvgChart.description(panel));
    }
  }

  @Test
  void thePageShowsTheHeap() throws Exception {
    String heap = panels().get(0).id();
    assertThat(Files.readString(HOME.resolve("docs/kafka-operators.md")))
        .contains("(charts/retained/" + heap + ".svg)");
  }
}
