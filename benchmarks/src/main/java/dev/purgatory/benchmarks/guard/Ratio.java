package dev.purgatory.benchmarks.guard;

import dev.purgatory.benchmarks.contender.Contenders;
import dev.purgatory.benchmarks.results.Results;
import dev.purgatory.benchmarks.results.Row;
import java.util.Optional;

/**
 * A value of a contender divided by that of Kafka's classes in the same run.
 *
 * @param value the ratio of the medians, above 0
 * @param noise the combined relative spread of the values; 0.1 is a tenth
 * @param higherIsBetter whether a larger ratio is better
 */
record Ratio(double value, double noise, boolean higherIsBetter) {
  private static final String KAFKA = Contenders.KAFKA.title();
  private static final String FLOOR = Contenders.FLOOR.title();

  /** Returns the ratio in a run; empty if a value is missing or not above the floor. */
  static Optional<Ratio> of(Figure figure, Results results, String contender) {
    Optional<Row> row = figure.of(results, contender);
    Optional<Spread> own = spread(figure, results, contender);
    Optional<Spread> base = spread(figure, results, KAFKA);
    if (row.isEmpty() || own.isEmpty() || base.isEmpty()) {
      return Optional.empty();
    }
    double noise = Math.hypot(own.get().relative(), base.get().relative());
    double value = own.get().median() / base.get().median();
    return Optional.of(new Ratio(value, noise, row.get().higherIsBetter()));
  }

  private static Optional<Spread> spread(Figure figure, Results results, String contender) {
    Optional<Spread> all = figure.of(results, contender).map(Spread::of);
    Optional<Spread> own =
        figure.aboveFloor()
            ? all.flatMap(some -> figure.of(results, FLOOR).map(Spread::of).map(some::above))
            : all;
    return own.filter(spread -> spread.median() > 0);
  }

  /** The median of the values of all JVMs, and their range. */
  private record Spread(double median, double range) {
    static Spread of(Row row) {
      return new Spread(row.median(), row.max() - row.min());
    }

    Spread above(Spread floor) {
      return new Spread(median - floor.median, Math.hypot(range, floor.range));
    }

    double relative() {
      return range / median;
    }
  }
}
