package dev.purgatory.benchmarks.report;

import dev.purgatory.benchmarks.results.Environment;
import dev.purgatory.benchmarks.results.Results;
import dev.purgatory.benchmarks.results.Row;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Made-up results. */
final class SampleResults {
  private SampleResults() {}

  static Results of(Row... rows) {
    return new Results(environment(), List.of(rows));
  }

  static Environment environment() {
    return new Environment(
        "2026-01-02T03:04:05Z",
        "0123abcdef",
        "./purgatory bench --only \"late\"",
        "quick",
        "A <JDK> 25",
        "An OS",
        "A CPU",
        2,
        8L << 30);
  }

  static Row row(
      String bench,
      String contender,
      Map<String, String> params,
      String metric,
      String unit,
      double... values) {
    List<Double> list = Arrays.stream(values).boxed().toList();
    return new Row(bench, contender, params, metric, unit, false, list);
  }
}
