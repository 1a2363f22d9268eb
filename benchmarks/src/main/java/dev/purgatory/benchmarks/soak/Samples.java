package dev.purgatory.benchmarks.soak;

import dev.purgatory.benchmarks.results.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The values of all metrics over time. Thread-safe. */
final class Samples {
  private final long start = System.nanoTime();
  private final List<Row> rows = new ArrayList<>();

  /** Adds a count. */
  void add(Metric metric, long value) {
    add(metric, (double) value);
  }

  /** Adds a value. */
  synchronized void add(Metric metric, double value) {
    double seconds = Math.round((System.nanoTime() - start) / 1e8) / 10.0;
    rows.add(
        new Row(
            "library-soak",
            "purgatory",
            Map.of("seconds", String.valueOf(seconds)),
            metric.title(),
            metric.unit(),
            /* higherIsBetter= */ false,
            List.of(value)));
  }

  /** Returns all values in chronological order. */
  synchronized List<Row> rows() {
    return List.copyOf(rows);
  }

  /** Returns the values of a metric in chronological order. */
  synchronized List<Double> of(Metric metric) {
    return rows.stream()
        .filter(row -> row.metric().equals(metric.title()))
        .map(Row::median)
        .toList();
  }
}
