package dev.purgatory.benchmarks.report;

import dev.purgatory.benchmarks.results.Row;
import java.util.List;
import java.util.stream.Stream;

/**
 * The values of a panel in the unit in which they are displayed.
 *
 * @param panel the panel
 * @param scale the unit
 */
record Points(Panel panel, Scale scale) {
  static Points of(Panel panel) {
    return new Points(panel, Scale.of(panel));
  }

  /** Returns all finite medians. */
  List<Double> medians() {
    return drawn().map(this::median).toList();
  }

  /** Returns the lowest value. */
  double lowest() {
    return drawn().mapToDouble(this::low).min().orElse(0);
  }

  /** Returns the highest value. */
  double highest() {
    return drawn().mapToDouble(this::high).max().orElse(0);
  }

  /** Returns the rows of a contender with a finite median. */
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
