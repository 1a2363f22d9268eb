package dev.purgatory.benchmarks.report;

import static dev.purgatory.benchmarks.report.SampleResults.row;
import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.benchmarks.results.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PanelsTest {
  @Test
  void parameterWithMostNumbersIsTheAxisAndOthersSeparatePanels() {
    List<Row> rows = new ArrayList<>();
    for (String gc : List.of("G1", "ZGC")) {
      for (String mix : List.of("20", "200")) {
        for (String rate : List.of("30000", "10000", "20000")) {
          Map<String, String> params = Map.of("rate", rate, "gc", gc, "mix", mix, "wheel", "20");
          rows.add(row("load", "kafka", params, "cpu", "ms", 1));
        }
      }
    }
    List<Panel> panels = Panels.of(rows);
    assertThat(panels).hasSize(4);
    assertThat(panels).allSatisfy(panel -> assertThat(panel.axis()).contains("rate"));
    assertThat(panels.get(0).fixed()).containsOnlyKeys("gc", "mix", "wheel");
    assertThat(panels.get(0).rows().stream().map(panels.get(0)::position))
        .containsExactly(10_000.0, 20_000.0, 30_000.0);
    assertThat(panels.stream().map(Panel::id)).doesNotHaveDuplicates();
  }

  @Test
  void groupsRowsByMetricEvenIfTheyAreNotAdjacent() {
    List<Row> rows =
        List.of(
            row("memory", "kafka", Map.of(), "pending", "bytes", 1),
            row("memory", "kafka", Map.of(), "left", "bytes", 1),
            row("memory", "floor", Map.of(), "pending", "bytes", 1));
    assertThat(Panels.of(rows).stream().map(panel -> panel.rows().size())).containsExactly(2, 1);
  }

  @Test
  void textIsNoAxis() {
    List<Row> rows =
        List.of(
            row("load", "kafka", Map.of("gc", "G1"), "cpu", "ms", 1),
            row("load", "kafka", Map.of("gc", "ZGC"), "cpu", "ms", 1));
    List<Panel> panels = Panels.of(rows);
    assertThat(panels.stream().map(Panel::title)).containsExactly("Cpu, G1", "Cpu, ZGC");
    assertThat(panels.get(0).axis()).isEmpty();
  }

  @Test
  void wordAmongNumbersHasASeparatePanel() {
    List<Row> rows =
        List.of(
            row("load", "kafka", Map.of("rate", "10000"), "cpu", "ms", 1),
            row("load", "kafka", Map.of("rate", "20000"), "cpu", "ms", 1),
            row("load", "kafka", Map.of("rate", "max"), "cpu", "ms", 1));
    List<Panel> panels = Panels.of(rows);
    assertThat(panels.stream().map(Panel::title))
        .containsExactly("Cpu, against target rate", "Cpu at saturation");
    assertThat(panels.get(0).axis()).contains("rate");
    assertThat(panels.get(1).axis()).isEmpty();
  }

  @Test
  void titleAndIdContainFixedParameters() {
    Panel panel = Panels.of(List.of(row("m", "kafka", Map.of("keys", "3"), "heap", "b", 1))).get(0);
    assertThat(panel.title()).isEqualTo("Heap, 3 keys");
    assertThat(panel.id()).isEqualTo("m-heap-keys-3");
  }

  @Test
  void rowsWithoutTheAxisParameterHaveASeparatePanel() {
    List<Row> rows =
        List.of(
            row("load", "kafka", Map.of("keys", "1"), "cpu", "ms", 1),
            row("load", "kafka", Map.of("keys", "2"), "cpu", "ms", 1),
            row("load", "kafka", Map.of(), "cpu", "ms", 1));
    assertThat(Panels.of(rows).stream().map(panel -> panel.rows().size())).containsExactly(2, 1);
  }

  @Test
  void floorIsLastAfterUnknownContenders() {
    List<Row> rows =
        List.of(
            row("b", "floor", Map.of(), "m", "ms", 1),
            row("b", "unknown", Map.of(), "m", "ms", 1),
            row("b", "kafka", Map.of(), "m", "ms", 1),
            row("b", "purgatory", Map.of(), "m", "ms", 1));
    assertThat(Panels.of(rows).get(0).contenders())
        .containsExactly("purgatory", "kafka", "unknown", "floor");
  }
}
