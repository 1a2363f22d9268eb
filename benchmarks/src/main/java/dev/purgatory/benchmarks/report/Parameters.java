package dev.purgatory.benchmarks.report;

import dev.purgatory.benchmarks.results.Row;
import java.util.List;
import java.util.regex.Pattern;

/** Helpers for the parameters of rows. */
final class Parameters {
  private static final Pattern NUMBER = Pattern.compile("-?\\d+(\\.\\d+)?");

  private Parameters() {}

  /** Returns the names of all parameters, in order of their first occurrence. */
  static List<String> names(List<Row> rows) {
    return rows.stream().flatMap(row -> row.params().keySet().stream()).distinct().toList();
  }

  /** Returns the value of a parameter; empty if the row does not have it. */
  static String value(Row row, String name) {
    return row.params().getOrDefault(name, "");
  }

  /** Returns the number of distinct numeric values of a parameter. */
  static long numbers(List<Row> rows, String name) {
    return rows.stream()
        .filter(row -> isNumber(row, name))
        .map(row -> number(row, name))
        .distinct()
        .count();
  }

  /** Returns whether the value of a parameter is a number. */
  static boolean isNumber(Row row, String name) {
    return isNumber(value(row, name));
  }

  /** Returns the numeric value of a parameter. */
  static double number(Row row, String name) {
    return Double.parseDouble(value(row, name));
  }

  /** Formats a value; numbers get a separator for thousands. */
  static String text(String value) {
    return isNumber(value) ? Numbers.text(Double.parseDouble(value)) : value;
  }

  /** Returns whether a value is a number. */
  static boolean isNumber(String value) {
    return NUMBER.matcher(value).matches();
  }
}
