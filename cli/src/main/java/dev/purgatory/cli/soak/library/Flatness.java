package dev.purgatory.cli.soak.library;

import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The rule that says whether a metric is flat: the maximum of the last third of its values is not
 * above one and a half times that of the first third plus the slack of the metric.
 */
final class Flatness {
  private static final double FACTOR = 1.5;
  private static final int THIRDS = 3;

  private Flatness() {}

  /** Returns what has grown, in one line for each metric; nothing if all are flat. */
  static List<String> growth(Samples samples) {
    return Stream.of(Metric.values())
        .map(metric -> growth(metric, samples.of(metric)))
        .flatMap(Optional::stream)
        .toList();
  }

  /** Returns in which way a metric has grown; empty if it is flat or has too few values. */
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
