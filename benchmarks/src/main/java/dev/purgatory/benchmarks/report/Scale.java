package dev.purgatory.benchmarks.report;

import java.util.List;
import java.util.Map;

/**
 * The unit that a panel is shown in, such that its numbers are short.
 *
 * @param unit its name
 * @param factor how many units as measured make one of it
 */
record Scale(String unit, double factor) {
  private static final List<Scale> TIMES =
      List.of(new Scale("ns", 1), new Scale("µs", 1e3), new Scale("ms", 1e6), new Scale("s", 1e9));

  private static final List<Scale> BYTES =
      List.of(new Scale("bytes", 1), new Scale("KiB", 1 << 10), new Scale("MiB", 1 << 20));

  private static final Map<String, List<Scale>> LADDERS =
      Map.of("ns", TIMES, "µs", TIMES, "us", TIMES, "ms", TIMES, "s", TIMES, "bytes", BYTES);

  /** Numbers between these are short enough as they were measured. */
  private static final double SHORTEST = 0.1;

  private static final double LONGEST = 10_000;

  /** The scale for a panel: what suits the number in the middle. */
  static Scale of(Panel panel) {
    List<Scale> ladder = LADDERS.getOrDefault(panel.unit(), List.of());
    double typical = typical(panel);
    if (ladder.isEmpty() || typical == 0 || (typical >= SHORTEST && typical < LONGEST)) {
      return new Scale(spelled(panel.unit()), 1);
    }
    double measured = factorOf(ladder, panel.unit());
    Scale chosen = ladder.get(0);
    for (Scale scale : ladder) {
      chosen = typical * measured >= scale.factor() ? scale : chosen;
    }
    return new Scale(chosen.unit(), chosen.factor() / measured);
  }

  /** A value in this unit. */
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
