package dev.purgatory.benchmarks.results;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The ratio of the values of one contender to those of another.
 *
 * @param median the median of the ratios
 * @param least the smallest ratio
 * @param greatest the largest ratio
 */
public record Ratio(double median, double least, double greatest) {
  /** The smallest factor that counts as a difference if all rounds agree. */
  private static final double SMALLEST = 1.02;

  /** The factor up to which the median of rounds that disagree counts as no difference. */
  private static final double NOISE = 1.1;

  /** By unit, the value below which there is nothing to divide by. */
  private static final Map<String, Double> NEGLIGIBLE =
      Map.of(
          "bytes",
          1.0,
          "ns",
          1.0,
          "us",
          0.01,
          "ms",
          0.001,
          "ms/s",
          0.1,
          "1/s",
          0.1,
          "%",
          0.1,
          "wake-ups",
          0.01);

  /**
   * Divides the values of each round. If the contenders have different numbers of JVMs, divides the
   * medians; the range is then that of any pair of JVMs.
   *
   * @param row the dividend
   * @param base the divisor
   * @param floor the floor, which is subtracted from both if present
   * @return the ratios; empty if a divisor is negligible or a row has no median
   */
  public static Optional<Ratio> of(Row row, Row base, Optional<Row> floor) {
    if (Stream.concat(Stream.of(row, base), floor.stream())
        .anyMatch(each -> Double.isNaN(each.median()))) {
      return Optional.empty();
    }
    if (isNegligible(base, floor)) {
      return Optional.empty();
    }
    List<Double> upper = above(row, floor);
    List<Double> lower = above(base, floor);
    return Optional.of(
        upper.size() == lower.size() ? byRound(upper, lower) : ofMedians(upper, lower));
  }

  /** Returns whether a value is so close to 0, or below, that a ratio to it would mean nothing. */
  public static boolean isNegligible(Row base, Optional<Row> floor) {
    return above(base, floor).stream().anyMatch(value -> value <= 0 || value < negligible(base));
  }

  /** Returns whether a row is above another one in each round, and not only by next to nothing. */
  public static boolean isAbove(Row row, Row base, Optional<Row> floor) {
    List<Double> upper = above(row, floor);
    List<Double> lower = above(base, floor);
    boolean always =
        upper.size() == lower.size()
            ? IntStream.range(0, upper.size()).allMatch(i -> upper.get(i) > lower.get(i))
            : min(upper) > max(lower);
    return always && Row.median(upper) - Row.median(lower) >= negligible(row);
  }

  private static double negligible(Row row) {
    return NEGLIGIBLE.getOrDefault(row.unit(), 0.0);
  }

  private static Ratio byRound(List<Double> upper, List<Double> lower) {
    List<Double> ratios =
        IntStream.range(0, upper.size()).mapToObj(i -> upper.get(i) / lower.get(i)).toList();
    return new Ratio(Row.median(ratios), min(ratios), max(ratios));
  }

  private static Ratio ofMedians(List<Double> upper, List<Double> lower) {
    return new Ratio(
        Row.median(upper) / Row.median(lower), min(upper) / max(lower), max(upper) / min(lower));
  }

  /** Subtracts the floor: the value of the same round, or the median. */
  static List<Double> above(Row row, Optional<Row> floor) {
    List<Double> values = row.values();
    if (floor.isEmpty()) {
      return values;
    }
    Row base = floor.get();
    boolean sameRounds = base.values().size() == values.size();
    return IntStream.range(0, values.size())
        .mapToObj(i -> values.get(i) - (sameRounds ? base.values().get(i) : base.median()))
        .toList();
  }

  /** Returns what the ratios of all rounds say about the values. */
  public Verdict verdict() {
    if (least > 1 || greatest < 1) {
      return isNear(SMALLEST) ? Verdict.NO_DIFFERENCE : Verdict.DIFFERENCE;
    }
    return isNear(NOISE) ? Verdict.NO_DIFFERENCE : Verdict.UNCERTAIN;
  }

  private boolean isNear(double factor) {
    return median < factor && median > 1 / factor;
  }

  /** What the ratios of all rounds say. */
  public enum Verdict {
    /** All are on the same side of 1, and their median is not next to 1. */
    DIFFERENCE,
    /** Their median is near 1, or next to 1 if all are on the same side. */
    NO_DIFFERENCE,
    /** They lie on both sides of 1, but their median is far from it. */
    UNCERTAIN
  }

  private static double min(List<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).min().orElse(Double.NaN);
  }

  private static double max(List<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).max().orElse(Double.NaN);
  }
}
