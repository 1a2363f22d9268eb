package dev.purgatory.benchmarks.report;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toList;

import dev.purgatory.benchmarks.results.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.DoubleUnaryOperator;

/**
 * A chart as SVG: a line for each contender over a parameter. Thin lines reach from the least to
 * the greatest value of all JVMs. The same values give the same text.
 */
final class Chart {
  private static final int WIDTH = 800;
  private static final int LEFT = 70;
  private static final int RIGHT = WIDTH - 30;
  private static final int LEGEND = 86;
  private static final int TOP = 110;
  private static final int BOTTOM = TOP + 340;
  private static final int HEIGHT = BOTTOM + 60;

  /** The ratio of the greatest to the least value from which an axis is logarithmic. */
  private static final double LOGARITHMIC_FROM = 50;

  private static final int MOST_TICKS = 8;
  private static final int MOST_POINTS = 40;
  private static final String TEXT = "#24292f";
  private static final String QUIET = "#57606a";
  private static final String GRID = "#e1e4e8";

  private final StringBuilder svg = new StringBuilder();
  private final List<Row> rows;
  private final String parameter;
  private final double factor;
  private final List<Double> positions;
  private final Axis x;
  private final Axis y;

  /**
   * Creates a chart.
   *
   * @param rows the values, at least two positions
   * @param parameter the parameter that varies
   * @param isLogarithmic whether its axis is logarithmic
   * @param factor how many measured units a shown one has
   */
  Chart(List<Row> rows, String parameter, boolean isLogarithmic, double factor) {
    this.rows = rows;
    this.parameter = parameter;
    this.factor = factor;
    positions = rows.stream().map(this::position).sorted().distinct().toList();
    x = new Axis(positions.get(0), positions.get(positions.size() - 1), isLogarithmic, LEFT, RIGHT);
    double least = rows.stream().mapToDouble(Row::median).min().orElseThrow() / factor;
    double greatest = rows.stream().mapToDouble(Row::max).max().orElseThrow() / factor;
    boolean isLogarithmicToo = least > 0 && greatest / least >= LOGARITHMIC_FROM;
    double from = isLogarithmicToo ? Math.pow(10, Math.floor(Math.log10(least))) : 0;
    y = new Axis(from, greatest, isLogarithmicToo, BOTTOM, TOP);
  }

  /**
   * Draws the chart, with its values as text for readers who do not see it.
   *
   * @param title the title, with the unit
   * @param notes lines below the title
   */
  String draw(String title, List<String> notes) {
    Map<String, List<Row>> byContender =
        rows.stream()
            .collect(groupingBy(Row::contender, () -> new TreeMap<>(Palette.ORDER), toList()));
    add(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\""
            + " role=\"img\" font-family=\"Verdana, 'DejaVu Sans', sans-serif\" font-size=\"13\">",
        WIDTH, HEIGHT, WIDTH, HEIGHT);
    add("<title>%s</title>", escape(title));
    add(
        "<desc>%s</desc>",
        escape(byContender.values().stream().map(this::text).collect(joining("; "))));
    add("<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>");
    add("<text x=\"14\" y=\"26\" font-size=\"15\" font-weight=\"bold\">%s</text>", escape(title));
    for (int i = 0; i < notes.size(); i++) {
      text(14, 48 + 18 * i, "start", QUIET, notes.get(i));
    }
    drawAxes();
    double legend = LEFT;
    for (Map.Entry<String, List<Row>> each : byContender.entrySet()) {
      String color = Palette.color(each.getKey());
      line(legend, LEGEND, legend + 20, LEGEND, color, 3);
      text(legend + 26, LEGEND + 4, "start", TEXT, each.getKey());
      legend += 50 + 8 * each.getKey().length();
      drawLine(each.getValue(), color);
    }
    return svg + "</svg>\n";
  }

  private void drawAxes() {
    for (double tick : y.ticks()) {
      line(LEFT, y.at(tick), RIGHT, y.at(tick), GRID, 1);
      text(LEFT - 8, y.at(tick) + 4, "end", QUIET, Numbers.text(tick));
    }
    for (double tick : positions.size() <= MOST_TICKS ? positions : x.ticks()) {
      text(x.at(tick), BOTTOM + 20, "middle", QUIET, Numbers.text(tick));
    }
    text((LEFT + RIGHT) / 2.0, BOTTOM + 42, "middle", QUIET, parameter);
  }

  private void drawLine(List<Row> line, String color) {
    add(
        "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"%s\"/>",
        color,
        line.stream()
            .map(row -> format("%.1f,%.1f", x.at(position(row)), y.at(row.median() / factor)))
            .collect(joining(" ")));
    for (Row row : line.size() > MOST_POINTS ? List.<Row>of() : line) {
      double at = x.at(position(row));
      line(at, y.at(row.min() / factor), at, y.at(row.max() / factor), color, 1.5);
      add(
          "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"/>",
          at, y.at(row.median() / factor), color);
    }
  }

  private double position(Row row) {
    return Double.parseDouble(row.params().getOrDefault(parameter, "0"));
  }

  private String text(List<Row> line) {
    return line.stream()
        .map(row -> Numbers.text(position(row)) + ": " + Numbers.brief(row.median() / factor))
        .collect(joining(", ", line.get(0).contender() + " ", ""));
  }

  private void line(double x1, double y1, double x2, double y2, String color, double width) {
    add(
        "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"%s\" stroke-width=\"%.1f\"/>",
        x1, y1, x2, y2, color, width);
  }

  private void text(double at, double base, String anchor, String color, String words) {
    add(
        "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"%s\">%s</text>",
        at, base, anchor, color, escape(words));
  }

  private void add(String format, Object... values) {
    svg.append(format(format, values)).append('\n');
  }

  private static String format(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
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
