package dev.purgatory.benchmarks.soak;

import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Decides whether a metric grows: it does if the maximum of the last third of its values exceeds
 * 1.5 times the maximum of the first third plus the slack of the metric.
 */
final class Flatness {
  private static final double FACTOR = 1.5;
  private static final int THIRDS = 3;

  private Flatness() {}

  /** Returns one line for each metric that grows. */
  static List<String> growth(Samples samples) {
    return Stream.of(Metric.values())
        .map(metric -> growth(metric, samples.of(metric)))
        .flatMap(Optional::stream)
        .toList();
  }

  /** Describes the growth of a metric; empty if it does not grow or has too few values. */
  static Optional<String> growth(Metric metric, List<Double> values) {
    int third = values.size() / THIRDS;
    if (third == 0) {
      return Optional.empty();
    }
    double first = Collections.max(values.subList(0, third));
    double last = Collections.max(values.subList(values.size() - third, values.size()));
    if (last <= FACTOR * first + metric.slack()) {
      return Optional.empty();
    }
    return Optional.of(
        String.format(
            Locale.ROOT,
            "%s grew from %,.0f to %,.0f %s",
            metric.title(),
            first,
            last,
            metric.unit()));
  }
}
