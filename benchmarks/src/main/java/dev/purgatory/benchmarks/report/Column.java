package dev.purgatory.benchmarks.report;

import dev.purgatory.benchmarks.results.Results;
import dev.purgatory.benchmarks.results.Row;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A column of a table on the published page: a metric in a configuration.
 *
 * @param heading the heading, including the unit if the text above the table does not state it
 * @param bench the measurement
 * @param metric the metric
 * @param params the configuration; other parameters are ignored
 * @param aboveFloor whether the floor is subtracted
 * @param factor the number of measured units per displayed unit
 */
record Column(
    String heading,
    String bench,
    String metric,
    Map<String, String> params,
    boolean aboveFloor,
    double factor) {
  /** The share of its target rate below which a contender does not keep up. */
  private static final double KEPT_UP = 0.95;

  private static final String RATE = "rate";

  static Column of(String heading, String bench, String metric, Map<String, String> params) {
    return new Column(heading, bench, metric, params, false, 1);
  }

  /** Returns this column with the floor subtracted. */
  Column overFloor() {
    return new Column(heading, bench, metric, params, true, factor);
  }

  /** Returns this column in a larger unit. */
  Column in(double units) {
    return new Column(heading, bench, metric, params, aboveFloor, units);
  }

  /** Returns the row of a contender. */
  Optional<Row> row(Results results, String contender) {
    return find(results, contender, metric);
  }

  private Optional<Row> find(Results results, String contender, String wanted) {
    return results.rows().stream()
        .filter(row -> row.bench().equals(bench) && row.contender().equals(contender))
        .filter(row -> row.metric().equals(wanted))
        .filter(row -> row.params().entrySet().containsAll(params.entrySet()))
        .findFirst();
  }

  /** Returns the row of the floor, if it is subtracted. */
  private Optional<Row> floor(Results results) {
    return aboveFloor ? row(results, Palette.FLOOR) : Optional.empty();
  }

  /**
   * Returns the value of a contender and its ratio to that of Kafka's classes. The result is a dash
   * if there is no value or if it is negative.
   */
  String cell(Results results, String contender) {
    Optional<Row> row = row(results, contender);
    if (row.isEmpty() || (aboveFloor && floor(results).isEmpty())) {
      return Numbers.NONE;
    }
    return keepsUp(results, contender) ? value(results, row.get()) : "does not keep up";
  }

  private String value(Results results, Row row) {
    boolean isBase = row.contender().equals(Palette.KAFKA);
    boolean isFloor = row.contender().equals(Palette.FLOOR);
    double floor = isFloor ? 0 : floor(results).map(Row::median).orElse(0.0);
    double value = (row.median() - floor) / factor;
    if (!(value >= 0)) {
      return Numbers.NONE;
    }
    String number = Numbers.brief(value);
    return isBase || isFloor ? number : number + ratio(results, row);
  }

  private String ratio(Results results, Row row) {
    return row(results, Palette.KAFKA)
        .flatMap(kafka -> Ratios.of(row, kafka, floor(results)))
        .map(ratios -> ", " + Numbers.ratio(ratios))
        .orElse("");
  }

  private boolean keepsUp(Results results, String contender) {
    String target = params.getOrDefault(RATE, "");
    if (target.isEmpty() || !Character.isDigit(target.charAt(0))) {
      return true;
    }
    return find(results, contender, RATE)
        .map(rate -> rate.median() >= KEPT_UP * Double.parseDouble(target))
        .orElse(true);
  }

  /** Returns the contenders that have a row. */
  List<String> contenders(Results results) {
    return results.rows().stream()
        .map(Row::contender)
        .distinct()
        .filter(contender -> row(results, contender).isPresent())
        .toList();
  }
}
