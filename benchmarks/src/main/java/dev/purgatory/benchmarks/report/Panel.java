package dev.purgatory.benchmarks.report;

import dev.purgatory.benchmarks.results.Row;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What one chart shows: one metric of one measurement, over at most one parameter that varies.
 *
 * @param title what it shows, as a phrase without the unit
 * @param remark what is said below the title; empty if nothing is
 * @param bench the measurement
 * @param metric what was measured
 * @param unit of the values
 * @param higherIsBetter whether the larger number wins
 * @param fixed the parameters that all rows share
 * @param axis the name of the number that varies; empty if none does
 * @param rows by rising value of that number, then in the order of the contenders
 */
record Panel(
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

  /** A name that is a file name, too. */
  String id() {
    return Html.plain(bench + " " + metric + " " + String.join(" ", fixedParts()));
  }

  /** The title with the unit in parentheses, unless the title names it. */
  String heading() {
    String shown = Scale.of(this).unit();
    return title.startsWith(Phrases.PER_SECOND) ? title : title + " (" + shown + ")";
  }

  /** The same with another title, and with another remark. */
  Panel titled(String otherTitle, String otherRemark) {
    return new Panel(
        otherTitle, otherRemark, bench, metric, unit, higherIsBetter, fixed, axis, rows);
  }

  /** The same without a contender. */
  Panel without(String contender) {
    List<Row> others = rows.stream().filter(row -> !row.contender().equals(contender)).toList();
    return new Panel(title, remark, bench, metric, unit, higherIsBetter, fixed, axis, others);
  }

  /** Which way is better, in words. */
  String direction() {
    return higherIsBetter ? "higher is better" : "lower is better";
  }

  /** Where a row stands on the axis; 0 on all if there is none. */
  double position(Row row) {
    return axis.map(name -> Parameters.number(row, name)).orElse(0.0);
  }

  /** The contenders, each once, in their order. */
  List<String> contenders() {
    return rows.stream().map(Row::contender).distinct().sorted(Palette.ORDER).toList();
  }

  /** Whether there is something to be drawn: not all that was measured is 0. */
  boolean isDrawn() {
    return rows.stream().anyMatch(row -> row.min() != 0 || row.max() != 0);
  }

  /** What is said of it if it is not drawn. */
  String nothing() {
    return title() + ": 0 for " + String.join(", ", contenders()) + ".";
  }

  /** Whether a contender was measured. */
  boolean has(String contender) {
    return rows.stream().anyMatch(row -> row.contender().equals(contender));
  }

  /** What another contender reached where this row stands. */
  Optional<Row> beside(Row row, String contender) {
    return rows.stream()
        .filter(other -> other.contender().equals(contender))
        .filter(other -> position(other) == position(row))
        .findFirst();
  }

  private List<String> fixedParts() {
    return parts(fixed);
  }

  /** Parameters as text, one part each. */
  static List<String> parts(Map<String, String> params) {
    return params.entrySet().stream()
        .map(param -> param.getKey() + " " + Parameters.text(param.getValue()))
        .toList();
  }
}
