package dev.purgatory.benchmarks.report;

import dev.purgatory.benchmarks.results.Environment;
import dev.purgatory.benchmarks.results.Results;
import dev.purgatory.benchmarks.results.Row;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Made-up results. */
final class SampleResults {
  static final List<String> CONTENDERS =
      List.of("purgatory", "purgatory-kafka", "kafka", "delay-queue", "map+stpe", "<odd & new>");

  private SampleResults() {}

  static Results all() {
    List<Row> rows = new ArrayList<>();
    for (String contender : CONTENDERS) {
      double weight = CONTENDERS.indexOf(contender) + 1;
      rows.add(row("idle", contender, Map.of(), "wake-ups", "1/s", weight));
      rows.add(row("idle", contender, Map.of(), "lost", "requests", 0));
      for (String pending : List.of("10000", "100000", "1000000")) {
        double value = weight * weight * Double.parseDouble(pending);
        rows.add(row("late", contender, Map.of("pending", pending), "p99", "ns", value, 2 * value));
      }
    }
    return new Results(environment(), rows);
  }

  static Environment environment() {
    return new Environment(
        "2026-01-02T03:04:05Z",
        "0123abc",
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
