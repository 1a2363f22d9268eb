package dev.purgatory.benchmarks.report;

import dev.purgatory.benchmarks.results.Results;
import dev.purgatory.benchmarks.results.Row;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One column of a table of the published page: a metric in a configuration.
 *
 * @param heading for people, with the unit
 * @param bench the measurement
 * @param metric what was measured
 * @param params in which configuration; other parameters do not matter
 * @param aboveFloor whether the floor is subtracted
 * @param factor how many units as measured make one of the heading's
 */
record Column(
    String heading,
    String bench,
    String metric,
    Map<String, String> params,
    boolean aboveFloor,
    double factor) {
  /** Below this share of its target, a rate is not kept up with. */
  private static final double KEPT_UP = 0.95;

  private static final String RATE = "rate";

  static Column of(String heading, String bench, String metric, Map<String, String> params) {
    return new Column(heading, bench, metric, params, false, 1);
  }

  /** The same with the floor subtracted. */
  Column overFloor() {
    return new Column(heading, bench, metric, params, true, factor);
  }

  /** The same in a larger unit. */
  Column in(double units) {
    return new Column(heading, bench, metric, params, aboveFloor, units);
  }

  /** The row of a contender. */
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

  /** The floor, where it is subtracted. */
  private Optional<Row> floor(Results results) {
    return aboveFloor ? row(results, Palette.FLOOR) : Optional.empty();
  }

  /**
   * What a contender has reached, and how that compares with Kafka's classes. A dash stands for
   * what was not measured, and for a number below 0.
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

  /** The contenders that have a row. */
  List<String> contenders(Results results) {
    return results.rows().stream()
        .map(Row::contender)
        .distinct()
        .filter(contender -> row(results, contender).isPresent())
        .toList();
  }
}
