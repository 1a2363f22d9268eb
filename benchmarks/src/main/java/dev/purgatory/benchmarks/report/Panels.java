package dev.purgatory.benchmarks.report;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import dev.purgatory.benchmarks.results.Row;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/** Groups rows into panels. */
final class Panels {
  private static final String NO_VALUE = "none";

  private Panels() {}

  /**
   * Creates panels for each metric. The parameter with the most numeric values, at least two,
   * becomes the axis. Each combination of the other parameters has a separate panel, and so has a
   * word among the numbers, such as "max" among rates.
   *
   * @param rows the rows in order of presentation; rows of one measurement need not be adjacent
   */
  static List<Panel> of(List<Row> rows) {
    return groups(rows, Panels::measured).flatMap(Panels::split).toList();
  }

  /** Groups panels by measurement, preserving their order. */
  static Map<String, List<Panel>> byBench(List<Panel> panels) {
    return panels.stream().collect(groupingBy(Panel::bench, LinkedHashMap::new, toList()));
  }

  private static List<String> measured(Row row) {
    return List.of(row.bench(), row.metric(), row.unit());
  }

  private static Stream<Panel> split(List<Row> rows) {
    Optional<String> axis =
        Parameters.names(rows).stream()
            .filter(name -> Parameters.numbers(rows, name) > 1)
            .reduce((best, next) -> more(rows, best, next));
    return groups(rows, row -> besides(row, axis)).map(part -> panel(part, axis));
  }

  private static String more(List<Row> rows, String best, String next) {
    return Parameters.numbers(rows, next) > Parameters.numbers(rows, best) ? next : best;
  }

  private static Panel panel(List<Row> rows, Optional<String> axis) {
    Row first = rows.get(0);
    Optional<String> used = axis.filter(name -> Parameters.numbers(rows, name) > 1);
    Comparator<Row> byPosition =
        Comparator.comparingDouble(row -> used.map(n -> Parameters.number(row, n)).orElse(0.0));
    Map<String, String> shared = fixed(first, axis, used.isPresent());
    return new Panel(
        Panel.id(first.bench(), first.metric(), shared),
        Phrases.title(first.metric(), used, shared),
        "",
        first.bench(),
        first.metric(),
        first.unit(),
        first.higherIsBetter(),
        shared,
        used,
        rows.stream().sorted(byPosition.thenComparing(Row::contender, Palette.ORDER)).toList());
  }

  private static Map<String, String> fixed(Row row, Optional<String> axis, boolean drawn) {
    boolean isSingle = !drawn && axis.filter(name -> Parameters.isNumber(row, name)).isPresent();
    return isSingle ? row.params() : besides(row, axis);
  }

  /** Returns the parameters of a row except for its number on the axis. */
  private static Map<String, String> besides(Row row, Optional<String> axis) {
    Map<String, String> others = new LinkedHashMap<>(row.params());
    axis.ifPresent(name -> others.putIfAbsent(name, NO_VALUE));
    axis.filter(name -> Parameters.isNumber(row, name)).ifPresent(others::remove);
    return others;
  }

  private static <K> Stream<List<Row>> groups(List<Row> rows, Function<Row, K> key) {
    return rows.stream().collect(groupingBy(key, LinkedHashMap::new, toList())).values().stream();
  }
}
