package dev.purgatory.benchmarks.report;

import dev.purgatory.benchmarks.results.Ratio;
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
 * @param toBestRival whether ratios are those of our values to the best rival's, not to Kafka's
 */
record Column(
    String heading,
    String bench,
    String metric,
    Map<String, String> params,
    boolean aboveFloor,
    double factor,
    boolean toBestRival) {

  static Column of(String heading, String bench, String metric, Map<String, String> params) {
    return new Column(heading, bench, metric, params, false, 1, false);
  }

  /** Returns this column with the floor subtracted. */
  Column overFloor() {
    return new Column(heading, bench, metric, params, true, factor, toBestRival);
  }

  /** Returns this column in a larger unit. */
  Column in(double units) {
    return new Column(heading, bench, metric, params, aboveFloor, units, toBestRival);
  }

  /** Returns this column with the ratios of our values to the best rival's. */
  Column againstTheBest() {
    return new Column(heading, bench, metric, params, aboveFloor, factor, true);
  }

  /** Returns the rows of all contenders. */
  List<Row> rows(Results results) {
    return results.rows(bench, metric, params).toList();
  }

  private Optional<Row> row(Results results, String contender) {
    return results.row(contender, bench, metric, params);
  }

  /** Returns the row of the floor, if it is subtracted. */
  private Optional<Row> floor(Results results) {
    return aboveFloor ? row(results, Palette.FLOOR) : Optional.empty();
  }

  /**
   * Returns the value of a contender and its ratio. The result is a dash if there is no value, if
   * it is negative, or if the contender broke its contract.
   */
  String cell(Results results, String contender) {
    Optional<Row> row = row(results, contender);
    if (row.isEmpty() || (aboveFloor && floor(results).isEmpty())) {
      return Numbers.NONE;
    }
    Contest contest = new Contest(results);
    if (contest.brokeContract(row.get())) {
      return Numbers.NONE;
    }
    return contest.keepsUp(row.get()) ? value(results, contest, row.get()) : "does not keep up";
  }

  private String value(Results results, Contest contest, Row row) {
    double floor =
        row.contender().equals(Palette.FLOOR) ? 0 : floor(results).map(Row::median).orElse(0.0);
    double value = (row.median() - floor) / factor;
    if (!(value >= 0)) {
      return Numbers.NONE;
    }
    String ratio =
        toBestRival ? toBestRival(results, contest, row) : toKafka(results, contest, row);
    return Numbers.brief(value) + ratio;
  }

  private String toKafka(Results results, Contest contest, Row row) {
    if (row.contender().equals(Palette.KAFKA) || row.contender().equals(Palette.FLOOR)) {
      return "";
    }
    return row(results, Palette.KAFKA)
        .filter(contest::isComparable)
        .flatMap(kafka -> Ratio.of(row, kafka, floor(results)))
        .map(ratio -> ", " + Numbers.ratio(ratio))
        .orElse("");
  }

  private String toBestRival(Results results, Contest contest, Row row) {
    return Optional.of(row)
        .filter(each -> Contest.isOurs(each.contender()))
        .flatMap(contest::bestRival)
        .flatMap(best -> Ratio.of(row, best, floor(results)).map(ratio -> text(ratio, best)))
        .orElse("");
  }

  private static String text(Ratio ratio, Row best) {
    return ", " + Numbers.ratio(ratio) + " against `" + best.contender() + "`";
  }

  /** Returns the contenders that have a row. */
  List<String> contenders(Results results) {
    return rows(results).stream().map(Row::contender).distinct().toList();
  }
}
