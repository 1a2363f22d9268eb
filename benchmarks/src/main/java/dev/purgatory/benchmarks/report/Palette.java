package dev.purgatory.benchmarks.report;

import dev.purgatory.benchmarks.contender.Contenders;
import dev.purgatory.benchmarks.contender.Entrant;
import dev.purgatory.benchmarks.feature.Lineup;
import dev.purgatory.benchmarks.timer.Timers;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/** The order and the colors of contenders, which are the same in all charts and tables. */
final class Palette {
  /** The colors by name, in order: contenders, timers, rivals of features. */
  private static final Map<String, Integer> KNOWN = known();

  private static final int UNKNOWN = 0x4a4e69;

  /** Known contenders come first, then others by name. */
  static final Comparator<String> ORDER =
      Comparator.comparingInt(Palette::rank).thenComparing(Comparator.naturalOrder());

  private Palette() {}

  private static Map<String, Integer> known() {
    Map<String, Integer> colors = new LinkedHashMap<>();
    Stream.of(List.of(Contenders.values()), List.of(Timers.values()), Lineup.everybody())
        .<Entrant>flatMap(List::stream)
        .forEach(entrant -> colors.putIfAbsent(entrant.title(), entrant.rgb()));
    return colors;
  }

  /** Returns the color of a contender, such as {@code #3a8f5c}. */
  static String color(String contender) {
    return String.format(Locale.ROOT, "#%06x", KNOWN.getOrDefault(contender, UNKNOWN));
  }

  private static int rank(String contender) {
    int rank = List.copyOf(KNOWN.keySet()).indexOf(contender);
    return rank < 0 ? KNOWN.size() : rank;
  }
}
