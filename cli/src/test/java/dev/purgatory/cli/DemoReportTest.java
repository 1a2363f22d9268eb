package dev.purgatory.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.cluster.load.LoadStats;
import dev.purgatory.cluster.probe.NodeSample;
import dev.purgatory.cluster.probe.PurgatoryCounts;
import dev.purgatory.cluster.run.DemoResult;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DemoReportTest {
  private static DemoResult result(String name, @Nullable PurgatoryCounts stats, long retained) {
    NodeSample nodes = new NodeSample(stats, 7, 0, Duration.ofSeconds(9));
    Histogram latency = new Histogram(3);
    latency.recordValue(1_500);
    LoadStats clients = new LoadStats(1_000, 999, 998, 1, 0, 5, latency, 0, Optional.empty());
    return new DemoResult(name, nodes, 12_345, Duration.ofMillis(1_500), retained, clients);
  }

  private static String rowOf(String report, String label) {
    return report.lines().filter(line -> line.strip().startsWith(label)).findFirst().orElseThrow();
  }

  @Test
  void showsRunsSideBySide() {
    PurgatoryCounts stats =
        new PurgatoryCounts(10, 8, 2, 0, 0, 0, new Histogram(3), new Histogram(3));
    String report = DemoReport.of(List.of(result("stock", null, 900), result("drop-in", stats, 0)));
    assertThat(rowOf(report, "operations held")).matches(".* not counted +10$");
    assertThat(rowOf(report, "reachable")).matches(".* 900 +0$");
    assertThat(rowOf(report, "time held, p50")).endsWith(" -");
    assertThat(rowOf(report, "messages lost")).matches(".* 1 +1$");
    assertThat(rowOf(report, "processor time")).endsWith("1.5 s");
    assertThat(rowOf(report, "produce latency, p50")).endsWith("1.50 ms");
  }
}
