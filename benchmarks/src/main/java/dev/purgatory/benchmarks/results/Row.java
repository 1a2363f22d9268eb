package dev.purgatory.benchmarks.results;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A metric of a contender, as measured by several JVMs.
 *
 * @param bench the measurement, such as {@code memory}
 * @param contender the contender
 * @param params the configuration in order of presentation, such as keys = 3
 * @param metric the metric
 * @param unit the unit of the values
 * @param higherIsBetter whether larger values are better
 * @param values one value for each JVM, at least one
 */
public record Row(
    String bench,
    String contender,
    Map<String, String> params,
    String metric,
    String unit,
    boolean higherIsBetter,
    List<Double> values) {

  /** Copies the collections. */
  public Row {
    params = Collections.unmodifiableMap(new LinkedHashMap<>(params));
    values = List.copyOf(values);
    if (values.isEmpty()) {
      throw new IllegalArgumentException("a row without values: " + bench + " " + metric);
    }
  }

  /** The prefix of the metric of rows that count failed JVMs. */
  public static final String FAILURE = "failed";

  /** Returns whether this row counts failed JVMs instead of a metric. */
  public boolean failed() {
    return metric.startsWith(FAILURE);
  }

  /**
   * Returns the median of the values.
   *
   * @return {@code NaN} if a value is negative, which is always a measurement error
   */
  public double median() {
    return hasNegative() ? Double.NaN : median(values);
  }

  /**
   * Returns the median of numbers.
   *
   * @param numbers one or more
   * @return the mean of the two in the middle if there are two
   */
  public static double median(List<Double> numbers) {
    List<Double> sorted = numbers.stream().sorted().toList();
    int half = sorted.size() / 2;
    return sorted.size() % 2 == 1
        ? sorted.get(half)
        : (sorted.get(half - 1) + sorted.get(half)) / 2;
  }

  /** Returns the lowest value; {@code NaN} if a value is negative. */
  public double min() {
    return hasNegative() ? Double.NaN : Collections.min(values);
  }

  /** Returns the highest value; {@code NaN} if a value is negative. */
  public double max() {
    return hasNegative() ? Double.NaN : Collections.max(values);
  }

  private boolean hasNegative() {
    return values.stream().anyMatch(value -> value < 0);
  }
}
