package dev.purgatory.benchmarks.report;

import static java.util.stream.Collectors.joining;

import dev.purgatory.benchmarks.results.Results;
import dev.purgatory.benchmarks.results.Row;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** All values of a run as one table, with a row for each. */
public final class ResultTable {
  private static final List<String> HEADER =
      List.of(
          "what",
          "contender",
          "median",
          "range",
          "JVMs",
          "to Kafka's classes",
          "to the best rival");

  private ResultTable() {}

  /** Returns the table. */
  public static Table of(Results results) {
    Contest contest = new Contest(results);
    Map<String, Integer> order = new LinkedHashMap<>();
    results.rows().forEach(row -> order.putIfAbsent(what(row), order.size()));
    Comparator<Row> sorted =
        Comparator.<Row>comparingInt(row -> order.getOrDefault(what(row), 0))
            .thenComparing(Row::contender, Palette.ORDER);
    return new Table(
        "All values",
        HEADER,
        results.rows().stream().sorted(sorted).map(row -> cells(contest, row)).toList());
  }

  private static List<String> cells(Contest contest, Row row) {
    return List.of(
        what(row),
        "`" + row.contender() + "`",
        Numbers.text(row.median()),
        Numbers.range(row.min(), row.max()),
        Integer.toString(row.values().size()),
        contest
            .against(row, Contest.KAFKA)
            .map(Contest.Comparison::text)
            .orElseGet(() -> reason(contest, row)),
        contest.againstTheBest(row).map(ResultTable::named).orElse(""));
  }

  private static String named(Contest.Comparison comparison) {
    return comparison.text() + " `" + comparison.rival().contender() + "`";
  }

  /** Returns why a value is not compared, if that says something about the contender. */
  private static String reason(Contest contest, Row row) {
    if (contest.brokeContract(row)) {
      return "leaves requests without an end";
    }
    return contest.keepsUp(row) ? "" : "does not keep up";
  }

  /** Returns the measurement, metric, unit and configuration of a value. */
  private static String what(Row row) {
    String configuration =
        row.params().entrySet().stream()
            .map(param -> ", " + param.getKey() + " " + Numbers.parameter(param.getValue()))
            .collect(joining());
    return row.bench() + ": " + row.metric() + " (" + row.unit() + ")" + configuration;
  }
}
