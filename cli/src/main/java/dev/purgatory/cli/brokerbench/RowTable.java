package dev.purgatory.cli.brokerbench;

import dev.purgatory.benchmarks.measure.Sample;
import dev.purgatory.benchmarks.results.Row;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Puts together what several rounds have measured of the same. */
final class RowTable {
  private final Map<Cell, List<Double>> cells = new LinkedHashMap<>();

  /** Adds what a job has measured. */
  void add(Job job, Sample sample) {
    cells.computeIfAbsent(Cell.of(job, sample), cell -> new ArrayList<>()).add(sample.value());
  }

  /** The rows, in the order in which they were first added. */
  List<Row> rows() {
    return cells.entrySet().stream().map(cell -> cell.getKey().row(cell.getValue())).toList();
  }

  /** What makes two samples values of one row. */
  private record Cell(
      Job job, Map<String, String> params, String metric, String unit, boolean higherIsBetter) {

    static Cell of(Job job, Sample sample) {
      return new Cell(
          job, sample.params(), sample.metric(), sample.unit(), sample.higherIsBetter());
    }

    Row row(List<Double> values) {
      return new Row(
          "broker-" + job.load().title(),
          job.contender().name(),
          params,
          metric,
          unit,
          higherIsBetter,
          values);
    }
  }
}
