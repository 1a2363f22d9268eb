package dev.purgatory.benchmarks.report;

import java.util.List;
import java.util.Map;

/**
 * The unit in which a panel is displayed, chosen so that its numbers are short.
 *
 * @param unit the name of the unit
 * @param factor the number of measured units per displayed unit
 */
record Scale(String unit, double factor) {
  private static final List<Scale> TIMES =
      List.of(new Scale("ns", 1), new Scale("µs", 1e3), new Scale("ms", 1e6), new Scale("s", 1e9));

  private static final List<Scale> BYTES =
      List.of(new Scale("bytes", 1), new Scale("KiB", 1 << 10), new Scale("MiB", 1 << 20));

  private static final Map<String, List<Scale>> LADDERS =
      Map.of("ns", TIMES, "µs", TIMES, "us", TIMES, "ms", TIMES, "s", TIMES, "bytes", BYTES);

  /** Typical values from this to {@link #MAX} are displayed in the measured unit. */
  private static final double MIN = 0.1;

  private static final double MAX = 10_000;

  /** Returns the scale that suits the median of a panel's values. */
  static Scale of(Panel panel) {
    List<Scale> ladder = LADDERS.getOrDefault(panel.unit(), List.of());
    double typical = typical(panel);
    if (ladder.isEmpty() || typical == 0 || (typical >= MIN && typical < MAX)) {
      return new Scale(spelled(panel.unit()), 1);
    }
    double measured = factorOf(ladder, panel.unit());
    Scale chosen = ladder.get(0);
    for (Scale scale : ladder) {
      chosen = typical * measured >= scale.factor() ? scale : chosen;
    }
    return new Scale(chosen.unit(), chosen.factor() / measured);
  }

  /** Converts a value to this unit. */
  double apply(double value) {
    return value / factor;
  }

  private static double factorOf(List<Scale> ladder, String unit) {
    return ladder.stream()
        .filter(scale -> scale.unit().equals(spelled(unit)))
        .findFirst()
        .orElseThrow()
        .factor();
  }

  private static String spelled(String unit) {
    return unit.equals("us") ? "µs" : unit;
  }

  private static double typical(Panel panel) {
    List<Double> sorted =
        panel.rows().stream().map(row -> Math.abs(row.median())).sorted().toList();
    return sorted.get(sorted.size() / 2);
  }
}
