package dev.purgatory.benchmarks.run;

import dev.purgatory.benchmarks.measure.Sample;
import dev.purgatory.benchmarks.results.Row;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Combines the samples of several turns into rows. */
final class Table {
  private final Map<Cell, List<Double>> cells = new LinkedHashMap<>();

  void add(Turn turn, Sample sample) {
    cells.computeIfAbsent(Cell.of(turn, sample), cell -> new ArrayList<>()).add(sample.value());
  }

  /** Returns the rows, in the order in which they were first added. */
  List<Row> rows() {
    return cells.entrySet().stream().map(cell -> cell.getKey().row(cell.getValue())).toList();
  }

  /** Identifies the samples that belong to the same row. */
  private record Cell(
      String bench,
      String contender,
      Map<String, String> params,
      String metric,
      String unit,
      boolean higherIsBetter) {

    static Cell of(Turn turn, Sample sample) {
      Map<String, String> params = new LinkedHashMap<>(sample.params());
      params.putAll(turn.params());
      return new Cell(
          turn.bench(),
          turn.contender(),
          params,
          sample.metric(),
          sample.unit(),
          sample.higherIsBetter());
    }

    Row row(List<Double> values) {
      return new Row(bench, contender, params, metric, unit, higherIsBetter, values);
    }
  }
}
