package dev.purgatory.benchmarks.report;

import dev.purgatory.benchmarks.results.Row;
import java.util.List;
import java.util.regex.Pattern;

/** What is asked of the parameters of rows. */
final class Parameters {
  private static final Pattern NUMBER = Pattern.compile("-?\\d+(\\.\\d+)?");

  private Parameters() {}

  /** The names of all parameters, in the order in which they are first met. */
  static List<String> names(List<Row> rows) {
    return rows.stream().flatMap(row -> row.params().keySet().stream()).distinct().toList();
  }

  /** The value of a parameter; empty if the row does not have it. */
  static String value(Row row, String name) {
    return row.params().getOrDefault(name, "");
  }

  /** How many numbers a parameter takes; words beside them do not count. */
  static long numbers(List<Row> rows, String name) {
    return rows.stream()
        .filter(row -> isNumber(row, name))
        .map(row -> number(row, name))
        .distinct()
        .count();
  }

  /** Whether a row has a number for a parameter. */
  static boolean isNumber(Row row, String name) {
    return isNumber(value(row, name));
  }

  /** The value of a parameter that is a number. */
  static double number(Row row, String name) {
    return Double.parseDouble(value(row, name));
  }

  /** A value for people: numbers with their thousands apart. */
  static String text(String value) {
    return isNumber(value) ? Numbers.text(Double.parseDouble(value)) : value;
  }

  /** Whether a value is a number. */
  static boolean isNumber(String value) {
    return NUMBER.matcher(value).matches();
  }
}
