package dev.purgatory.benchmarks.report;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toList;

import dev.purgatory.benchmarks.results.Row;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.DoubleUnaryOperator;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/**
 * A chart as SVG: a bar for each contender, or a line for each over a parameter. Thin lines reach
 * from the least to the greatest value of all JVMs. The same values give the same text.
 */
final class Chart {
  private static final int WIDTH = 800;
  private static final int LEFT = 70;
  private static final int LEFT_OF_BARS = 130;
  private static final int RIGHT = 30;
  private static final int TOP = 80;
  private static final int BAR = 30;
  private static final int PLOT_HEIGHT = 340;

  /** The ratio of the greatest to the least value from which an axis is logarithmic. */
  private static final double LOGARITHMIC_FROM = 50;

  private static final int MOST_TICKS = 8;
  private static final int MOST_POINTS = 40;
  private static final String TEXT = "#24292f";
  private static final String QUIET = "#57606a";
  private static final String GRID = "#e1e4e8";

  private final StringBuilder svg = new StringBuilder();
  private final Map<String, List<Row>> byContender;
  private final double factor;

  private Chart(List<Row> rows, double factor) {
    this.byContender =
        rows.stream()
            .collect(groupingBy(Row::contender, () -> new TreeMap<>(Palette.ORDER), toList()));
    this.factor = factor;
  }

  /**
   * Draws a bar for each contender.
   *
   * @param title the title, with the unit
   * @param notes lines below the title
   * @param rows one value of each contender
   * @param factor how many measured units a shown one has
   */
  static String bars(String title, List<String> notes, List<Row> rows, double factor) {
    Chart chart = new Chart(rows, factor);
    chart.drawBars();
    int height = TOP + BAR * chart.byContender.size() + 40;
    return chart.document(title, notes, height, row -> "");
  }

  /**
   * Draws a line for each contender.
   *
   * @param axis the parameter that varies
   * @param isLogarithmic whether the axis of the parameter is logarithmic
   */
  static String lines(
      String title,
      List<String> notes,
      List<Row> rows,
      double factor,
      String axis,
      boolean isLogarithmic) {
    Chart chart = new Chart(rows, factor);
    chart.drawLines(rows, axis, isLogarithmic);
    int height = TOP + 30 + PLOT_HEIGHT + 60;
    return chart.document(title, notes, height, row -> position(row, axis) + " ");
  }

  private void drawBars() {
    Axis values = new Axis(0, greatest(), false, LEFT_OF_BARS, WIDTH - RIGHT - 60);
    int bottom = TOP + BAR * byContender.size();
    for (double tick : values.ticks()) {
      line(values.at(tick), TOP, values.at(tick), bottom, GRID, 1);
      text(values.at(tick), bottom + 18, "middle", QUIET, Numbers.text(tick));
    }
    int top = TOP;
    for (List<Row> rows : byContender.values()) {
      Row row = rows.get(0);
      double y = top + BAR / 2.0;
      text(LEFT_OF_BARS - 10, y + 4, "end", TEXT, row.contender());
      svg.append(
          format(
              "<rect x=\"%d\" y=\"%.1f\" width=\"%.1f\" height=\"16\" fill=\"%s\"/>%n",
              LEFT_OF_BARS,
              y - 8,
              values.at(shown(row.median())) - LEFT_OF_BARS,
              Palette.color(row.contender())));
      line(values.at(shown(row.min())), y, values.at(shown(row.max())), y, TEXT, 1.5);
      text(
          values.at(shown(row.max())) + 8,
          y + 4,
          "start",
          TEXT,
          Numbers.brief(shown(row.median())));
      top += BAR;
    }
  }

  private void drawLines(List<Row> rows, String axis, boolean isLogarithmic) {
    int top = TOP + 30;
    int bottom = top + PLOT_HEIGHT;
    List<Double> positions =
        rows.stream().map(row -> position(row, axis)).sorted().distinct().toList();
    Axis x =
        new Axis(
            positions.get(0),
            positions.get(positions.size() - 1),
            isLogarithmic,
            LEFT,
            WIDTH - RIGHT);
    double least = rows.stream().mapToDouble(row -> shown(row.median())).min().orElseThrow();
    boolean isLogarithmicToo = least > 0 && greatest() / least >= LOGARITHMIC_FROM;
    double from = isLogarithmicToo ? Math.pow(10, Math.floor(Math.log10(least))) : 0;
    Axis y = new Axis(from, greatest(), isLogarithmicToo, bottom, top);
    for (double tick : y.ticks()) {
      line(LEFT, y.at(tick), WIDTH - RIGHT, y.at(tick), GRID, 1);
      text(LEFT - 8, y.at(tick) + 4, "end", QUIET, Numbers.text(tick));
    }
    for (double tick : positions.size() <= MOST_TICKS ? positions : x.ticks()) {
      text(x.at(tick), bottom + 20, "middle", QUIET, Numbers.text(tick));
    }
    text((LEFT + WIDTH - RIGHT) / 2.0, bottom + 42, "middle", QUIET, axis);
    double legend = LEFT;
    for (Map.Entry<String, List<Row>> each : byContender.entrySet()) {
      String color = Palette.color(each.getKey());
      line(legend, TOP + 6, legend + 20, TOP + 6, color, 3);
      text(legend + 26, TOP + 10, "start", TEXT, each.getKey());
      legend += 50 + 8 * each.getKey().length();
      drawLine(each.getValue(), color, row -> x.at(position(row, axis)), y);
    }
  }

  private void drawLine(List<Row> rows, String color, ToDoubleFunction<Row> x, Axis y) {
    svg.append(
        format(
            "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"%s\"/>%n",
            color,
            rows.stream()
                .map(row -> format("%.1f,%.1f", x.applyAsDouble(row), y.at(shown(row.median()))))
                .collect(joining(" "))));
    for (Row row : rows.size() > MOST_POINTS ? List.<Row>of() : rows) {
      double at = x.applyAsDouble(row);
      line(at, y.at(shown(row.min())), at, y.at(shown(row.max())), color, 1.5);
      svg.append(
          format(
              "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"/>%n",
              at, y.at(shown(row.median())), color));
    }
  }

  private static double position(Row row, String axis) {
    return Double.parseDouble(row.params().getOrDefault(axis, "0"));
  }

  private double shown(double value) {
    return value / factor;
  }

  private double greatest() {
    return byContender.values().stream()
        .flatMap(Collection::stream)
        .mapToDouble(row -> shown(row.max()))
        .max()
        .orElseThrow();
  }

  private void line(double x1, double y1, double x2, double y2, String color, double width) {
    svg.append(
        format(
            "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"%s\" stroke-width=\"%.1f\"/>%n",
            x1, y1, x2, y2, color, width));
  }

  private void text(double x, double y, String anchor, String color, String words) {
    svg.append(
        format(
            "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"%s\">%s</text>%n",
            x, y, anchor, color, escape(words)));
  }

  /** Returns the drawing with its values as text, for readers who do not see it. */
  private String document(
      String title, List<String> notes, int height, Function<Row, String> position) {
    String drawing = svg.toString();
    svg.setLength(0);
    svg.append(
        format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\""
                + " height=\"%d\" role=\"img\" font-family=\"Verdana, 'DejaVu Sans', sans-serif\""
                + " font-size=\"13\">%n<title>%s</title>%n<desc>%s</desc>%n"
                + "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>%n",
            WIDTH, height, WIDTH, height, escape(title), escape(description(position))));
    svg.append(
        format(
            "<text x=\"14\" y=\"26\" font-size=\"15\" font-weight=\"bold\" fill=\"%s\">%s</text>%n",
            TEXT, escape(title)));
    for (int i = 0; i < notes.size(); i++) {
      text(14, 48 + 18 * i, "start", QUIET, notes.get(i));
    }
    return svg + drawing + "</svg>\n";
  }

  private String description(Function<Row, String> position) {
    return byContender.values().stream()
        .flatMap(Collection::stream)
        .map(
            row ->
                row.contender()
                    + " "
                    + position.apply(row)
                    + Numbers.brief(shown(row.median()))
                    + " ("
                    + Numbers.range(shown(row.min()), shown(row.max()))
                    + ")")
        .collect(joining("; "));
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  private static String format(String format, Object... values) {
    return String.format(Locale.ROOT, format.replace("%n", "\n"), values);
  }

  /**
   * An axis.
   *
   * @param from the value at the start
   * @param to the greatest value
   * @param isLogarithmic whether steps are factors
   * @param start where it starts
   * @param end where it ends
   */
  private record Axis(double from, double to, boolean isLogarithmic, double start, double end) {
    double at(double value) {
      DoubleUnaryOperator scale = isLogarithmic ? Math::log : DoubleUnaryOperator.identity();
      double low = scale.applyAsDouble(from);
      double share =
          (scale.applyAsDouble(Math.max(value, from)) - low) / (scale.applyAsDouble(to) - low);
      return start + share * (end - start);
    }

    /** Returns round values: powers of ten, or multiples of one, two or five of these. */
    List<Double> ticks() {
      List<Double> ticks = new ArrayList<>();
      if (isLogarithmic) {
        for (double tick = from; tick <= to; tick *= 10) {
          ticks.add(tick);
        }
        return ticks;
      }
      double power = Math.pow(10, Math.floor(Math.log10((to - from) / 5)));
      double rough = (to - from) / 5 / power;
      double step = power * (rough > 5 ? 10 : rough > 2 ? 5 : rough > 1 ? 2 : 1);
      for (int i = (int) Math.ceil(from / step); i * step <= to; i++) {
        ticks.add(i * step);
      }
      return ticks;
    }
  }
}
