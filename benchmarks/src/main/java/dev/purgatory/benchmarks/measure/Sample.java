package dev.purgatory.benchmarks.measure;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A value that one JVM measured, and the line in which the JVM prints it.
 *
 * @param params the configuration
 * @param metric the metric
 * @param unit the unit of the value
 * @param higherIsBetter whether larger values are better
 * @param value the value
 */
public record Sample(
    Map<String, String> params, String metric, String unit, boolean higherIsBetter, double value) {
  private static final String MARK = "sample";
  private static final String BEGINNING = "begin";
  private static final int FIELDS = 6;

  /** Returns the line that represents this sample. */
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

  /** Returns a line that announces the configuration of the next samples. */
  static String beginning(Map<String, String> params) {
    return BEGINNING + "\t" + text(params);
  }

  /** Returns the configuration that was announced last; empty if none was. */
  public static Map<String, String> lastBegun(List<String> lines) {
    Map<String, String> last = Map.of();
    for (String line : lines) {
      last =
          line.startsWith(BEGINNING + "\t") ? params(line.substring(BEGINNING.length() + 1)) : last;
    }
    return last;
  }

  /** Returns whether a line represents a sample. */
  public static boolean isLine(String line) {
    return line.startsWith(MARK + "\t");
  }

  /**
   * Parses a line.
   *
   * @throws IllegalArgumentException if the line does not represent a sample
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
