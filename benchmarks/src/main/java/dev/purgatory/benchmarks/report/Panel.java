package dev.purgatory.benchmarks.report;

import dev.purgatory.benchmarks.results.Row;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The content of a chart: a metric of a measurement, over at most one parameter that varies.
 *
 * @param id the name of the chart, which is also the name of its file
 * @param title a phrase without the unit
 * @param remark a remark below the title; empty if there is none
 * @param bench the measurement
 * @param metric the metric
 * @param unit the unit of the values
 * @param higherIsBetter whether larger values are better
 * @param fixed the parameters that all rows share
 * @param axis the name of the parameter that varies; empty if none does
 * @param rows the values, in order of that parameter and then of the contenders
 */
record Panel(
    String id,
    String title,
    String remark,
    String bench,
    String metric,
    String unit,
    boolean higherIsBetter,
    Map<String, String> fixed,
    Optional<String> axis,
    List<Row> rows) {

  Panel {
    fixed = Collections.unmodifiableMap(new LinkedHashMap<>(fixed));
    rows = List.copyOf(rows);
  }

  /** Returns an id that consists of the measurement, the metric and the fixed parameters. */
  static String id(String bench, String metric, Map<String, String> fixed) {
    return Html.slug(bench + " " + metric + " " + String.join(" ", parts(fixed)));
  }

  /** Returns the title with the unit in parentheses, unless the title contains the unit. */
  String heading() {
    String shown = Scale.of(this).unit();
    return title.startsWith(Phrases.PER_SECOND) ? title : title + " (" + shown + ")";
  }

  /** Returns this panel with another id, title and remark. */
  Panel named(String otherId, String otherTitle, String otherRemark) {
    return new Panel(
        otherId, otherTitle, otherRemark, bench, metric, unit, higherIsBetter, fixed, axis, rows);
  }

  /** Returns this panel without a contender. */
  Panel without(String contender) {
    List<Row> others = rows.stream().filter(row -> !row.contender().equals(contender)).toList();
    return new Panel(id, title, remark, bench, metric, unit, higherIsBetter, fixed, axis, others);
  }

  /** Returns a phrase that states which values are better. */
  String direction() {
    return higherIsBetter ? "higher is better" : "lower is better";
  }

  /** Returns the position of a row on the axis; 0 if there is no axis. */
  double position(Row row) {
    return axis.map(name -> Parameters.number(row, name)).orElse(0.0);
  }

  /** Returns the distinct contenders, in order. */
  List<String> contenders() {
    return rows.stream().map(Row::contender).distinct().sorted(Palette.ORDER).toList();
  }

  /** Returns whether the panel is drawn, which it is unless all values are 0. */
  boolean isDrawn() {
    return rows.stream().anyMatch(row -> row.min() != 0 || row.max() != 0);
  }

  /** Returns the text that replaces a panel that is not drawn. */
  String emptyText() {
    return title() + ": 0 for " + String.join(", ", contenders()) + ".";
  }

  /** Returns whether a contender was measured. */
  boolean has(String contender) {
    return rows.stream().anyMatch(row -> row.contender().equals(contender));
  }

  /** Returns the row of another contender at the same position. */
  Optional<Row> beside(Row row, String contender) {
    return rows.stream()
        .filter(other -> other.contender().equals(contender))
        .filter(other -> position(other) == position(row))
        .findFirst();
  }

  /** Returns each parameter as text. */
  static List<String> parts(Map<String, String> params) {
    return params.entrySet().stream()
        .map(param -> param.getKey() + " " + Parameters.text(param.getValue()))
        .toList();
  }
}
