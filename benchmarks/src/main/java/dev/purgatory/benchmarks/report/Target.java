package dev.purgatory.benchmarks.report;

import dev.purgatory.benchmarks.contender.Contenders;
import dev.purgatory.benchmarks.results.Results;
import dev.purgatory.benchmarks.results.Row;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A target for a feature: its cost is at most a given share of the best rival's.
 *
 * @param task what is done, and which cost it has
 * @param bench the measurement
 * @param metric the cost
 * @param params the configuration; other parameters are ignored
 * @param rivals the contenders to compare with; empty for all others
 * @param share the share that the cost must not exceed
 */
record Target(
    String task,
    String bench,
    String metric,
    Map<String, String> params,
    Set<String> rivals,
    double share) {
  private static final String OURS = Contenders.PURGATORY.title();
  private static final double CLEARLY_LESS = 0.8;
  private static final double HUNDREDTH = 0.01;
  private static final Map<String, String> JDK_17 = Map.of("jdk", "17");
  private static final Map<String, String> JDK_25 = Map.of("jdk", "25");
  private static final Map<String, String> AMONG_A_MILLION = Map.of("among", "1000000");

  /** The rivals that evaluate all waiters. */
  private static final Set<String> EVALUATING = Set.of("signal", Contenders.KAFKA.title());

  private static final Set<String> SKIP_LISTS = Set.of("skip list+netty", "skip list+orTimeout");

  /** All targets, in the order of the table and the chart. */
  static final List<Target> ALL =
      List.of(
          advance("advance, against evaluating all waiters", EVALUATING).within(HUNDREDTH),
          advance("advance, against skip lists", SKIP_LISTS).within(CLEARLY_LESS),
          replies("reply by id: time", "time"),
          replies("reply by id: CPU", "CPU"),
          replies("reply by id: bytes allocated", "allocation"),
          limits("limit on a stage, JDK 17: time", "time", JDK_17),
          limits("limit on a stage, JDK 17: bytes allocated", "allocation", JDK_17),
          limits("limit on a stage, JDK 25: time", "time", JDK_25),
          limits("limit on a stage, JDK 25: bytes allocated", "allocation", JDK_25),
          new Target("touch of a session: time", "sessions", "touch, time", Map.of(), Set.of(), 1),
          new Target("touch of a session: CPU", "sessions", "touch, CPU", Map.of(), Set.of(), 1),
          new Target(
              "session, against Netty: bytes retained",
              "sessions",
              "heap per session",
              Map.of(),
              Set.of("map+netty"),
              1),
          new Target(
              "request of a closed scope: time",
              "scopes",
              "cancelling one request, time",
              AMONG_A_MILLION,
              Set.of("one by one"),
              1));

  private static Target advance(String task, Set<String> rivals) {
    return new Target(task, "thresholds", "advance, time", Map.of(), rivals, 1);
  }

  private static Target replies(String task, String cost) {
    return new Target(task, "replies", "reply, " + cost, Map.of(), Set.of(), CLEARLY_LESS);
  }

  private static Target limits(String task, String cost, Map<String, String> jdk) {
    return new Target(task, "limits", "limit, " + cost, jdk, Set.of(), CLEARLY_LESS);
  }

  private Target within(double other) {
    return new Target(task, bench, metric, params, rivals, other);
  }

  /**
   * How a target was met.
   *
   * @param ours the cost
   * @param best that of the best rival
   * @param ratios the former divided by the latter
   */
  record Comparison(Row ours, Row best, Ratios ratios) {}

  /** Compares with the best rival; empty if the results do not have both. */
  Optional<Comparison> compare(Results results) {
    List<Row> rows =
        results.rows().stream()
            .filter(row -> row.bench().equals(bench) && row.metric().equals(metric))
            .filter(row -> row.params().entrySet().containsAll(params.entrySet()))
            .toList();
    Optional<Row> ours = rows.stream().filter(row -> row.contender().equals(OURS)).findFirst();
    Optional<Row> best =
        rows.stream().filter(this::isRival).min(Comparator.comparingDouble(Row::median));
    return ours.flatMap(
        row ->
            best.flatMap(
                rival ->
                    Ratios.of(row, rival, Optional.empty())
                        .map(ratios -> new Comparison(row, rival, ratios))));
  }

  private boolean isRival(Row row) {
    return rivals.isEmpty() ? !row.contender().equals(OURS) : rivals.contains(row.contender());
  }

  boolean isMet(Comparison comparison) {
    return comparison.ratios().median() <= share;
  }
}
