package dev.purgatory.examples;

import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Draws what {@link dev.purgatory.console.WheelDrawing} says as SVG: a row for each moment, with a
 * ring for each level.
 */
final class WheelPicture {
  private static final Pattern LEVEL =
      Pattern.compile(
          "level (\\d+), (\\d+) ms per bucket, (\\d+) ms per turn.*\\n((?: {4}.*\\n)*)");
  private static final Pattern BUCKET =
      Pattern.compile("(?:now|in (\\d+) ms): (\\d+) pending(?:, (\\d+) ended)?");

  private static final int WIDTH = 780;
  private static final int ROW = 276;
  private static final int TOP = 44;
  private static final int BOTTOM = 44;
  private static final int LEFT = 130;
  private static final int COLUMN = 260;
  private static final int CENTER = 158;
  private static final double INNER = 46;
  private static final double OUTER = 84;
  private static final double LABELS = 100;
  private static final double DOT = 6;
  private static final double DOT_DISTANCE = 15;

  private static final String TEXT = "#24292f";
  private static final String QUIET = "#57606a";
  private static final String LINE = "#afb8c1";
  private static final String CURRENT = "#fff3c4";
  private static final String EMPTY = "#f6f8fa";
  private static final String PENDING = "#1f6fb2";

  private final StringBuilder elements = new StringBuilder();
  private final StringBuilder description = new StringBuilder();
  private int rows;

  /**
   * A level of the wheels.
   *
   * @param name its title
   * @param resolution the milliseconds of a bucket
   * @param slots the number of its buckets
   * @param buckets the lines of its buckets
   */
  private record Level(String name, int resolution, int slots, List<MatchResult> buckets) {
    static Level of(MatchResult found) {
      int resolution = Integer.parseInt(found.group(2));
      return new Level(
          "level " + found.group(1) + ": " + resolution + " ms per bucket",
          resolution,
          Integer.parseInt(found.group(3)) / resolution,
          BUCKET.matcher(found.group(4)).results().toList());
    }
  }

  /**
   * Adds a row.
   *
   * @param title its title
   * @param now the time in milliseconds
   * @param drawing the text that the timer has drawn
   */
  WheelPicture add(String title, int now, String drawing) {
    int top = TOP + rows++ * ROW;
    text(16, top + 18, title, "start", 14, TEXT);
    description.append(title).append(":\n").append(drawing);
    Matcher levels = LEVEL.matcher(drawing);
    for (int column = 0; levels.find(); column++) {
      draw(Level.of(levels.toMatchResult()), now, LEFT + column * COLUMN, top + CENTER);
    }
    return this;
  }

  private void draw(Level level, int now, int x, int y) {
    text(x, y - 120, level.name(), "middle", 13, TEXT);
    int current = now / level.resolution();
    for (int i = 0; i < level.slots(); i++) {
      int number = current + i;
      slot(x, y, level, number % level.slots(), i == 0);
      double[] at = at(x, y, LABELS, middle(level, number));
      text(at[0], at[1] + 4, label(level, number), anchor(at[0] - x), 11, QUIET);
    }
    text(x, y + 4, now + " ms", "middle", 12, TEXT);
    for (MatchResult bucket : level.buckets()) {
      int in = bucket.group(1) == null ? 0 : Integer.parseInt(bucket.group(1));
      int pending = Integer.parseInt(bucket.group(2));
      int ended = bucket.group(3) == null ? 0 : Integer.parseInt(bucket.group(3));
      dots(x, y, middle(level, (now + in) / level.resolution()), pending, ended);
    }
  }

  /** Returns how a label is aligned, so that it does not reach into the ring. */
  private static String anchor(double right) {
    if (Math.abs(right) < LABELS / 2) {
      return "middle";
    }
    return right > 0 ? "start" : "end";
  }

  private static String label(Level level, int number) {
    int from = number * level.resolution();
    return level.resolution() == 1 ? "" + from : from + "–" + (from + level.resolution() - 1);
  }

  /** Returns the angle of the middle of a bucket; 0 is at the top. */
  private static double middle(Level level, int number) {
    return 2 * Math.PI * (number % level.slots() + 0.5) / level.slots();
  }

  private static double[] at(double x, double y, double radius, double angle) {
    return new double[] {x + radius * Math.sin(angle), y - radius * Math.cos(angle)};
  }

  private void slot(int x, int y, Level level, int slot, boolean isCurrent) {
    double from = 2 * Math.PI * slot / level.slots();
    double to = 2 * Math.PI * (slot + 1) / level.slots();
    double[] a = at(x, y, INNER, from);
    double[] b = at(x, y, OUTER, from);
    double[] c = at(x, y, OUTER, to);
    double[] d = at(x, y, INNER, to);
    element(
        "<path d=\"M%.1f %.1f L%.1f %.1f A%.0f %.0f 0 0 1 %.1f %.1f L%.1f %.1f A%.0f %.0f 0 0 0 %.1f"
            + " %.1f Z\" fill=\"%s\" stroke=\"%s\"/>",
        a[0],
        a[1],
        b[0],
        b[1],
        OUTER,
        OUTER,
        c[0],
        c[1],
        d[0],
        d[1],
        INNER,
        INNER,
        a[0],
        a[1],
        isCurrent ? CURRENT : EMPTY,
        LINE);
  }

  /** Draws the entries of a bucket beside each other, along the ring. */
  private void dots(int x, int y, double middle, int pending, int ended) {
    double radius = (INNER + OUTER) / 2;
    for (int i = 0; i < pending + ended; i++) {
      double offset = (i - (pending + ended - 1) / 2.0) * DOT_DISTANCE / radius;
      double[] at = at(x, y, radius, middle + offset);
      dot(at[0], at[1], i < pending);
    }
  }

  private void dot(double x, double y, boolean isPending) {
    String look =
        isPending
            ? "fill=\"" + PENDING + "\" stroke=\"" + PENDING + "\""
            : "fill=\"white\" stroke=\"" + QUIET + "\" stroke-dasharray=\"2 2\"";
    element("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.0f\" %s/>", x, y, DOT, look);
  }

  private void text(double x, double y, String text, String anchor, int size, String color) {
    element(
        "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" font-size=\"%d\" fill=\"%s\">%s</text>",
        x, y, anchor, size, color, text);
  }

  private void element(String format, Object... values) {
    elements.append(String.format(Locale.ROOT, format, values)).append('\n');
  }

  private void legend(int y) {
    dot(24, y - 4, true);
    text(36, y, "pending entry", "start", 12, TEXT);
    dot(144, y - 4, false);
    text(156, y, "cancelled entry", "start", 12, TEXT);
    element(
        "<rect x=\"276\" y=\"%d\" width=\"14\" height=\"14\" fill=\"%s\" stroke=\"%s\"/>",
        y - 11, CURRENT, LINE);
    text(296, y, "bucket of the current time", "start", 12, TEXT);
    text(WIDTH - 16, y, "around a ring: milliseconds", "end", 12, QUIET);
  }

  /** Returns the picture. */
  String svg(String title) {
    int height = TOP + rows * ROW + BOTTOM;
    text(16, 26, title, "start", 15, TEXT);
    legend(height - 18);
    return """
        <svg xmlns="http://www.w3.org/2000/svg" width="%1$d" height="%2$d" viewBox="0 0 %1$d %2$d" \
        role="img" font-family="Verdana, 'DejaVu Sans', sans-serif">
        <title>%3$s</title>
        <desc>%4$s</desc>
        <rect width="%1$d" height="%2$d" fill="white"/>
        %5$s</svg>
        """
        .formatted(WIDTH, height, title, description, elements);
  }
}
