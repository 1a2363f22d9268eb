package dev.purgatory.benchmarks.measure;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * One number that one JVM has measured, and the line that it prints for it.
 *
 * @param params what was varied
 * @param metric what was measured
 * @param unit of the value
 * @param higherIsBetter whether the larger number wins
 * @param value the number
 */
public record Sample(
    Map<String, String> params, String metric, String unit, boolean higherIsBetter, double value) {
  private static final String MARK = "sample";
  private static final String BEGINNING = "begin";
  private static final int FIELDS = 6;

  /** As a line. */
  String line() {
    return String.join(
        "\t",
        MARK,
        text(params),
        metric,
        unit,
        Boolean.toString(higherIsBetter),
        Double.toString(value));
  }

  private static String text(Map<String, String> params) {
    return params.entrySet().stream()
        .map(param -> param.getKey() + "=" + param.getValue())
        .collect(Collectors.joining(","));
  }

  /** A line that says of what the next samples will be. */
  static String beginning(Map<String, String> params) {
    return BEGINNING + "\t" + text(params);
  }

  /** What the last of some lines that says so says the next samples would have been of. */
  public static Map<String, String> lastBegun(List<String> lines) {
    Map<String, String> last = Map.of();
    for (String line : lines) {
      last =
          line.startsWith(BEGINNING + "\t") ? params(line.substring(BEGINNING.length() + 1)) : last;
    }
    return last;
  }

  /** Whether a line is that of a sample. */
  public static boolean isLine(String line) {
    return line.startsWith(MARK + "\t");
  }

  /**
   * Reads a line.
   *
   * @throws IllegalArgumentException if it is none of a sample
   */
  public static Sample parse(String line) {
    String[] fields = line.split("\t", -1);
    if (!isLine(line) || fields.length != FIELDS) {
      throw new IllegalArgumentException("not a sample: " + line);
    }
    boolean higherIsBetter = Boolean.parseBoolean(fields[4]);
    double value = Double.parseDouble(fields[5]);
    return new Sample(params(fields[1]), fields[2], fields[3], higherIsBetter, value);
  }

  private static Map<String, String> params(String field) {
    Map<String, String> params = new LinkedHashMap<>();
    for (String param : field.split(",", -1)) {
      int equals = param.indexOf('=');
      if (equals > 0) {
        params.put(param.substring(0, equals), param.substring(equals + 1));
      }
    }
    return params;
  }
}
