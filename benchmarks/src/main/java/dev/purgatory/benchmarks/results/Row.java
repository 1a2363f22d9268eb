package dev.purgatory.benchmarks.results;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One number of one contender, as each of several JVMs has measured it.
 *
 * @param bench the measurement, for instance {@code memory}
 * @param contender who was measured
 * @param params what was varied, in the order in which it is told, for instance keys = 3
 * @param metric what was measured
 * @param unit of the values
 * @param higherIsBetter whether the larger number wins
 * @param values one for each JVM, at least one
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

  /** A row that tells of JVMs that failed. */
  public static final String FAILURE = "failed";

  /** Whether this tells of JVMs that failed, instead of what was measured. */
  public boolean failed() {
    return metric.startsWith(FAILURE);
  }

  /**
   * The value in the middle; of an even number, the mean of the two in the middle.
   *
   * @return {@code NaN} if a value is negative: no metric can be, so it is a measurement error
   */
  public double median() {
    if (hasNegative()) {
      return Double.NaN;
    }
    List<Double> sorted = values.stream().sorted().toList();
    int half = sorted.size() / 2;
    return sorted.size() % 2 == 1
        ? sorted.get(half)
        : (sorted.get(half - 1) + sorted.get(half)) / 2;
  }

  /** The lowest value; {@code NaN} if a value is negative. */
  public double min() {
    return hasNegative() ? Double.NaN : Collections.min(values);
  }

  /** The highest value; {@code NaN} if a value is negative. */
  public double max() {
    return hasNegative() ? Double.NaN : Collections.max(values);
  }

  private boolean hasNegative() {
    return values.stream().anyMatch(value -> value < 0);
  }
}
