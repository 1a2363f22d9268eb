package dev.purgatory.benchmarks.report;

import dev.purgatory.benchmarks.results.Results;
import dev.purgatory.benchmarks.results.Row;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The charts of the published page, each of which answers a question.
 *
 * <p>The name of a chart determines its file and its marker on the page.
 */
enum Question {
  /** How many requests does a contender take? */
  MAXIMUM_RATE(
      "requests-per-second-at-saturation",
      "Requests per second at saturation, low mix",
      "enqueue",
      "rate",
      Map.of("mix", "low", "timeout", "200 ms", "rate", "max", "gc", "G1")),
  /** What does a request cost at a rate that most contenders keep up with? */
  CPU(
      "processor-time-per-request",
      "Processor time per request at 400,000 requests per second, low mix",
      "enqueue",
      "CPU per request",
      Map.of("mix", "low", "timeout", "200 ms", "rate", "400000", "gc", "G1")),
  /** At which rate does a contender fall behind? */
  COMPLETION_LAG(
      "completion-lag",
      "Completion lag, 99th percentile, against requests per second, low mix",
      "enqueue",
      "completion lag, p99",
      Map.of("mix", "low", "timeout", "200 ms", "gc", "G1")),
  /** How much memory does a pending operation use? */
  HEAP(
      "heap-per-pending-operation",
      "Heap per pending operation, against its number of keys",
      "memory",
      "heap per pending operation",
      Map.of()),
  /** How late are timeouts? */
  LATENESS(
      "lateness-of-timeouts",
      "Lateness of timeouts, 99th percentile, against pending operations",
      "lateness",
      "late, p99",
      Map.of()),
  /** What does a broker gain? */
  BROKER_CPU(
      "broker-processor-time-per-poll",
      "Processor time of a broker per long poll that expires",
      "broker-polls",
      "CPU per request",
      Map.of()),
  /** Does a contender take more requests from more threads? */
  THREADS(
      "requests-per-second-by-threads",
      "Requests per second, as many as possible, against the threads that send them",
      "threads",
      "rate",
      Map.of()),
  /** What do features cost, compared with what people use instead? */
  FEATURES(
      "features-relative-to-the-best-rival",
      "Cost of features, relative to the best rival",
      "",
      "",
      Map.of());

  /** Parameters of rows that are only in the tables. */
  private static final Set<Map.Entry<String, String>> NO_CHART =
      Set.of(Map.entry("rate", "max"), Map.entry("keys", "1000"));

  private final String slug;
  private final String title;
  private final String bench;
  private final String metric;

  @SuppressWarnings("ImmutableEnumChecker") // made by Map.of
  private final Map<String, String> params;

  Question(String slug, String title, String bench, String metric, Map<String, String> params) {
    this.slug = slug;
    this.title = title;
    this.bench = bench;
    this.metric = metric;
    this.params = params;
  }

  /** Returns the name of the marker on the page. */
  String marker() {
    return "chart-" + slug;
  }

  /** Returns the charts for which there are results. */
  static List<Drawing> charts(Results results) {
    return Arrays.stream(values()).flatMap(each -> each.chart(results).stream()).toList();
  }

  /** Returns the chart; empty if there are no results for it. */
  Optional<Drawing> chart(Results results) {
    if (this == FEATURES) {
      return TargetChart.of(slug, title, results);
    }
    Contest contest = new Contest(results);
    List<Row> rows =
        results
            .rows(bench, metric, params)
            .filter(this::isInChart)
            .filter(contest::isComparable)
            .toList();
    return Panels.of(rows).stream()
        .findFirst()
        .map(panel -> Drawing.of(named(panel), results.environment()));
  }

  private boolean isInChart(Row row) {
    return row.params().entrySet().stream()
        .noneMatch(param -> NO_CHART.contains(param) && !params.entrySet().contains(param));
  }

  private Panel named(Panel panel) {
    return this == MAXIMUM_RATE
        ? panel.named(slug, title, floor(panel)).without(Palette.FLOOR)
        : panel.named(slug, title, "");
  }

  /** Returns the floor as text, since its bar would make all others short. */
  private static String floor(Panel panel) {
    Scale scale = Scale.of(panel);
    return panel.rows().stream()
        .filter(row -> row.contender().equals(Palette.FLOOR))
        .map(row -> "the load alone: " + Numbers.text(scale.apply(row.median())))
        .findFirst()
        .orElse("");
  }
}
