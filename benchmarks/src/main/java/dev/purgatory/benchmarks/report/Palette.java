package dev.purgatory.benchmarks.report;

import java.awt.Color;
import java.awt.Shape;
import java.util.Comparator;
import java.util.List;
import org.jfree.chart.plot.DefaultDrawingSupplier;

/** The contenders' order, colours and marks, the same in every chart. */
final class Palette {
  /** All others are divided by it. */
  static final String KAFKA = "kafka";

  /** The generator alone, which holds nothing. */
  static final String FLOOR = "floor";

  private static final Color THREAD_POOL = new Color(0x3a8f5c);
  private static final Color NETTY = new Color(0x7a5ea8);
  private static final Color FORK_JOIN = new Color(0x9b6a3d);

  /** A timer alone has the colour of the contender that is made of it. */
  private static final List<Style> KNOWN =
      List.of(
          new Style("purgatory", new Color(0x1f6fb2)),
          new Style("purgatory-kafka", new Color(0x5fb0e5)),
          new Style(KAFKA, new Color(0xd1495b)),
          new Style("delay-queue", new Color(0xe08e2b)),
          new Style("map+stpe", THREAD_POOL),
          new Style("map+netty", NETTY),
          new Style("map+fjp", FORK_JOIN),
          new Style("weak-lists", new Color(0x5b5f97)),
          new Style("stpe", THREAD_POOL),
          new Style("netty", NETTY),
          new Style("fjp", FORK_JOIN),
          new Style("java.util.Timer", new Color(0xc2549c)),
          new Style("agrona+lock", new Color(0xb56576)),
          new Style("one-wheel", new Color(0x8a9a2b)),
          new Style("sorted-buckets", new Color(0x00838f)),
          new Style(FLOOR, new Color(0x8a8f98)));

  /** For those that are not known, by their name. */
  private static final List<Color> OTHERS =
      List.of(
          new Color(0x4a4e69),
          new Color(0xb5651d),
          new Color(0x2a9d8f),
          new Color(0x6d597a),
          new Color(0xbc4749));

  /** The known ones first and the floor last; between them the others, by their name. */
  static final Comparator<String> ORDER =
      Comparator.comparingInt(Palette::rank).thenComparing(Comparator.naturalOrder());

  private Palette() {}

  /** The colour of a contender. */
  static Color color(String contender) {
    return KNOWN.stream()
        .filter(style -> style.name().equals(contender))
        .map(Style::color)
        .findFirst()
        .orElseGet(() -> OTHERS.get(Math.floorMod(contender.hashCode(), OTHERS.size())));
  }

  /** The mark of a contender: people who see no colours tell it by that. */
  static Shape shape(String contender) {
    Shape[] shapes = DefaultDrawingSupplier.createStandardSeriesShapes();
    int known = KNOWN.stream().map(Style::name).toList().indexOf(contender);
    return shapes[Math.floorMod(known >= 0 ? known : contender.hashCode(), shapes.length)];
  }

  private static int rank(String contender) {
    List<String> names = KNOWN.stream().map(Style::name).toList();
    if (contender.equals(FLOOR)) {
      return Integer.MAX_VALUE;
    }
    return names.contains(contender) ? names.indexOf(contender) : names.size();
  }

  private record Style(String name, Color color) {}
}
