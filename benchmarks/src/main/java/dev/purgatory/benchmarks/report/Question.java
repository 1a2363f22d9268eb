package dev.purgatory.benchmarks.report;

import dev.purgatory.benchmarks.results.Results;
import dev.purgatory.benchmarks.results.Row;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The six questions that a chart of the published page answers. */
enum Question {
  /** How many requests a contender takes. */
  MAXIMUM_RATE(
      "Requests per second at saturation, low mix",
      "enqueue",
      "rate",
      "mix=low,timeout=200 ms,rate=max,gc=G1"),
  /** What a request costs where every contender keeps up. */
  CPU(
      "Processor time per request at 400,000 requests per second, low mix",
      "enqueue",
      "CPU per request",
      "mix=low,timeout=200 ms,rate=400000,gc=G1"),
  /** When a contender begins to fall behind. */
  COMPLETION_LAG(
      "Completion lag, 99th percentile, against requests per second, low mix",
      "enqueue",
      "completion lag, p99",
      "mix=low,timeout=200 ms,gc=G1"),
  /** What it takes to wait. */
  HEAP(
      "Heap per pending operation, against its number of keys",
      "memory",
      "heap per pending operation",
      ""),
  /** How late timeouts are. */
  LATENESS(
      "Lateness of timeouts, 99th percentile, against pending operations",
      "lateness",
      "late, p99",
      ""),
  /** What a broker gains. */
  BROKER_CPU(
      "Processor time of a broker per long poll that expires",
      "broker-polls",
      "CPU per request",
      "");

  /** What stands in the tables only. */
  private static final Set<String> NO_CHART = Set.of("rate=max", "keys=1000");

  private final String title;
  private final String bench;
  private final String metric;

  /** As {@code name=value} each, separated by commas. */
  private final String params;

  Question(String title, String bench, String metric, String params) {
    this.title = title;
    this.bench = bench;
    this.metric = metric;
    this.params = params;
  }

  /** The name that a page uses. */
  String marker() {
    return "chart-" + name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The charts that results have answers for. */
  static List<Panel> charts(Results results) {
    return Arrays.stream(values()).flatMap(each -> each.chart(results).stream()).toList();
  }

  /** The chart that answers it; empty if the results have no answer. */
  Optional<Panel> chart(Results results) {
    List<Row> rows = results.rows().stream().filter(this::takes).toList();
    return Panels.of(rows).stream().findFirst().map(this::titled);
  }

  private boolean takes(Row row) {
    List<String> wanted = params.isEmpty() ? List.of() : List.of(params.split(",", -1));
    List<String> has = row.params().entrySet().stream().map(Map.Entry::toString).toList();
    return row.bench().equals(bench)
        && row.metric().equals(metric)
        && has.containsAll(wanted)
        && has.stream().allMatch(param -> wanted.contains(param) || !NO_CHART.contains(param));
  }

  private Panel titled(Panel panel) {
    return this == MAXIMUM_RATE
        ? panel.titled(title, floor(panel)).without(Palette.FLOOR)
        : panel.titled(title, "");
  }

  /** The floor as text: a bar of it would make all others short. */
  private static String floor(Panel panel) {
    Scale scale = Scale.of(panel);
    return panel.rows().stream()
        .filter(row -> row.contender().equals(Palette.FLOOR))
        .map(row -> "the load alone: " + Numbers.text(scale.apply(row.median())))
        .findFirst()
        .orElse("");
  }
}
