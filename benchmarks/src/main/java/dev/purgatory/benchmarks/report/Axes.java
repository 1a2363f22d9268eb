package dev.purgatory.benchmarks.report;

import java.util.List;
import java.util.Set;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.axis.ValueAxis;

/** Creates numeric axes, which are logarithmic if the values span several decades. */
final class Axes {
  /** The ratio of the largest to the smallest value from which an axis is logarithmic. */
  private static final double LOGARITHMIC_FROM = 50;

  /** The same for positions. */
  private static final double POSITIONS_LOGARITHMIC_FROM = 25;

  /** The same for values over a logarithmic axis of positions, where powers are straight lines. */
  private static final double BOTH_LOGARITHMIC_FROM = 10;

  /** Parameters that are a time: their axis is linear. */
  private static final Set<String> TIMES = Set.of("seconds", "step");

  private static final double MARGIN = 1.25;
  private static final double HEADROOM = 1.05;

  /** Ensures that the label of the lowest decade is drawn. */
  private static final double ROUNDING = 1e-6;

  private Axes() {}

  /** Returns whether a linear axis would make the smaller values indistinguishable. */
  private static boolean isLogarithmic(List<Double> values, double from) {
    double min = min(values);
    return min > 0 && max(values) / min >= from;
  }

  /** Returns whether a parameter is a time. */
  static boolean isTime(String name) {
    return TIMES.contains(name);
  }

  /** Returns the axis of the parameter that varies. */
  static ValueAxis positions(String name, List<Double> values) {
    String label = Phrases.axis(name);
    if (isTime(name) || !isLogarithmic(values, POSITIONS_LOGARITHMIC_FROM)) {
      NumberAxis axis = linear(label);
      axis.setAutoRangeIncludesZero(false);
      if (values.stream().allMatch(value -> value == Math.rint(value))) {
        axis.setStandardTickUnits(NumberAxis.createIntegerTickUnits());
      }
      return axis;
    }
    DecadeAxis axis = new DecadeAxis(label, values.stream().distinct().sorted().toList());
    Theme.apply(axis);
    axis.setRange(min(values) / MARGIN, max(values) * MARGIN);
    return axis;
  }

  /** Returns the axis of the measured values. Spreads may extend below a logarithmic axis. */
  static ValueAxis values(Points points) {
    return values(points, LOGARITHMIC_FROM);
  }

  /** Returns the axis of the measured values over an axis of positions. */
  static ValueAxis values(Points points, ValueAxis positions) {
    return values(
        points, positions instanceof DecadeAxis ? BOTH_LOGARITHMIC_FROM : LOGARITHMIC_FROM);
  }

  private static ValueAxis values(Points points, double logarithmicFrom) {
    String label = Phrases.axis(points.panel().metric(), points.scale().unit());
    if (isLogarithmic(points.medians(), logarithmicFrom)) {
      DecadeAxis axis = new DecadeAxis(label + ", logarithmic", List.of());
      Theme.apply(axis);
      axis.setRange(decadeBelow(min(points.medians())), points.highest() * MARGIN);
      return axis;
    }
    NumberAxis axis = linear(label);
    double lowest = Math.min(0, points.lowest() * HEADROOM);
    double top = Math.max(0, points.highest() * HEADROOM);
    axis.setRange(lowest, top > lowest ? top : lowest + 1);
    return axis;
  }

  private static double decadeBelow(double value) {
    return Math.pow(10, Math.floor(Math.log10(value) - ROUNDING)) * (1 - ROUNDING);
  }

  private static NumberAxis linear(String label) {
    NumberAxis axis = new NumberAxis(label);
    axis.setNumberFormatOverride(Numbers.format("#,##0.######"));
    Theme.apply(axis);
    return axis;
  }

  private static double min(List<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).min().orElse(0);
  }

  private static double max(List<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).max().orElse(0);
  }
}
