package dev.purgatory.benchmarks.report;

import static java.util.Objects.requireNonNull;

import dev.purgatory.benchmarks.contender.Contenders;
import dev.purgatory.benchmarks.contender.Entrant;
import dev.purgatory.benchmarks.feature.Lineup;
import dev.purgatory.benchmarks.timer.Timers;
import java.awt.Color;
import java.awt.Shape;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jfree.chart.plot.DefaultDrawingSupplier;

/** The order, colors and marks of contenders, which are the same in all charts. */
final class Palette {
  /** The base of all ratios. */
  static final String KAFKA = Contenders.KAFKA.title();

  /** The load alone, which holds nothing. */
  static final String FLOOR = Contenders.FLOOR.title();

  /** The colors by name, in order: contenders, timers, rivals of features, and the floor last. */
  private static final Map<String, Color> KNOWN = known();

  /** The colors of unknown contenders. */
  private static final List<Color> OTHERS =
      List.of(
          new Color(0x4a4e69),
          new Color(0xb5651d),
          new Color(0x2a9d8f),
          new Color(0x6d597a),
          new Color(0xbc4749));

  /** Known contenders come first, then others by name, and the floor last. */
  static final Comparator<String> ORDER =
      Comparator.comparingInt(Palette::rank).thenComparing(Comparator.naturalOrder());

  private Palette() {}

  private static Map<String, Color> known() {
    Map<String, Color> colors = new LinkedHashMap<>();
    Stream.of(List.of(Contenders.values()), List.of(Timers.values()), Lineup.everybody())
        .<Entrant>flatMap(List::stream)
        .forEach(entrant -> colors.putIfAbsent(entrant.title(), new Color(entrant.rgb())));
    colors.put(FLOOR, requireNonNull(colors.remove(FLOOR)));
    return colors;
  }

  /** Returns the color of a contender. */
  static Color color(String contender) {
    Color unknown = OTHERS.get(Math.floorMod(contender.hashCode(), OTHERS.size()));
    return KNOWN.getOrDefault(contender, unknown);
  }

  /** Returns the mark of a contender, for readers who cannot distinguish the colors. */
  static Shape shape(String contender) {
    Shape[] shapes = DefaultDrawingSupplier.createStandardSeriesShapes();
    int mark = KNOWN.containsKey(contender) ? place(contender) : contender.hashCode();
    return shapes[Math.floorMod(mark, shapes.length)];
  }

  private static int rank(String contender) {
    if (contender.equals(FLOOR)) {
      return Integer.MAX_VALUE;
    }
    return KNOWN.containsKey(contender) ? place(contender) : KNOWN.size();
  }

  private static int place(String contender) {
    return List.copyOf(KNOWN.keySet()).indexOf(contender);
  }
}
