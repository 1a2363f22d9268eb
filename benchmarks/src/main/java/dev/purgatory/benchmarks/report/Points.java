package dev.purgatory.benchmarks.report;

import dev.purgatory.benchmarks.results.Row;
import java.util.List;
import java.util.stream.Stream;

/**
 * The numbers of a panel, in the unit that it is shown in.
 *
 * @param panel where they are from
 * @param scale the unit
 */
record Points(Panel panel, Scale scale) {
  static Points of(Panel panel) {
    return new Points(panel, Scale.of(panel));
  }

  /** All medians that are numbers. */
  List<Double> medians() {
    return drawn().map(this::median).toList();
  }

  /** The lowest number. */
  double lowest() {
    return drawn().mapToDouble(this::low).min().orElse(0);
  }

  /** The highest number. */
  double highest() {
    return drawn().mapToDouble(this::high).max().orElse(0);
  }

  /** The rows of a contender that have a number. */
  List<Row> of(String contender) {
    return drawn().filter(row -> row.contender().equals(contender)).toList();
  }

  double median(Row row) {
    return scale.apply(row.median());
  }

  double low(Row row) {
    return scale.apply(row.min());
  }

  double high(Row row) {
    return scale.apply(row.max());
  }

  private Stream<Row> drawn() {
    return panel.rows().stream().filter(row -> Double.isFinite(row.median()));
  }
}
