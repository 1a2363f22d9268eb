package dev.purgatory.benchmarks.report;

import dev.purgatory.benchmarks.contender.Contenders;
import dev.purgatory.benchmarks.results.Ratio;
import dev.purgatory.benchmarks.results.Results;
import dev.purgatory.benchmarks.results.Row;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A target for a feature: its cost is at most a given share of that of the best rival in the run. A
 * target cannot choose its rivals.
 *
 * @param task what is done, and which cost it has
 * @param bench the measurement
 * @param metric the cost
 * @param params the configuration; other parameters are ignored
 * @param share the share that the cost must not exceed
 */
record Target(String task, String bench, String metric, Map<String, String> params, double share) {
  private static final String OURS = Contenders.PURGATORY.title();
  private static final double CLEARLY_LESS = 0.8;

  /** All targets, in the order of the table and the chart. */
  static final List<Target> ALL =
      List.of(
          new Target("advance: time", "thresholds", "advance, time", Map.of(), CLEARLY_LESS),
          replies("reply by id: time", "time"),
          replies("reply by id: CPU", "CPU"),
          replies("reply by id: bytes allocated", "allocation"),
          stageTimeouts("timeout on a stage, JDK 17: time", "time", "17"),
          stageTimeouts("timeout on a stage, JDK 17: bytes allocated", "allocation", "17"),
          stageTimeouts("timeout on a stage, JDK 25: time", "time", "25"),
          stageTimeouts("timeout on a stage, JDK 25: bytes allocated", "allocation", "25"),
          new Target("touch of a session: time", "sessions", "touch, time", Map.of(), 1),
          new Target("touch of a session: CPU", "sessions", "touch, CPU", Map.of(), 1),
          new Target("session: bytes retained", "sessions", "heap per session", Map.of(), 1),
          scopes("10000"),
          scopes("1000000"));

  private static Target replies(String task, String cost) {
    return new Target(task, "replies", "reply, " + cost, Map.of(), CLEARLY_LESS);
  }

  private static Target stageTimeouts(String task, String cost, String jdk) {
    return new Target(task, "limits", "limit, " + cost, Map.of("jdk", jdk), CLEARLY_LESS);
  }

  private static Target scopes(String among) {
    return new Target(
        "request of a closed scope, among " + Parameters.text(among) + ": time",
        "scopes",
        "cancelling one request, time",
        Map.of("among", among),
        1);
  }

  /**
   * How a target was met.
   *
   * @param target the target
   * @param ours the cost
   * @param best that of the best rival
   * @param ratio the former divided by the latter
   */
  record Comparison(Target target, Row ours, Row best, Ratio ratio) {
    boolean isMet() {
      return ratio.median() <= target.share;
    }
  }

  /** Compares with the best rival; empty if the results do not have both. */
  Optional<Comparison> compare(Results results) {
    Contest contest = new Contest(results);
    return results
        .row(OURS, bench, metric, params)
        .flatMap(row -> contest.bestRival(row).flatMap(best -> compare(row, best)));
  }

  private Optional<Comparison> compare(Row ours, Row best) {
    return Ratio.of(ours, best, Optional.empty())
        .map(ratio -> new Comparison(this, ours, best, ratio));
  }
}
