package dev.purgatory.benchmarks.report;

import dev.purgatory.benchmarks.results.Row;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Shape;
import java.awt.geom.Ellipse2D;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.axis.ValueAxis;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.renderer.xy.XYErrorRenderer;
import org.jfree.chart.renderer.xy.XYItemRenderer;
import org.jfree.data.xy.XYIntervalSeries;
import org.jfree.data.xy.XYIntervalSeriesCollection;

/** A line for each contender, over the parameter that varies; dots if it has very many values. */
final class LineChart {
  private static final BasicStroke LINE = new BasicStroke(2);
  private static final BasicStroke SPREAD = new BasicStroke(1.2f);
  private static final BasicStroke DASHED =
      new BasicStroke(2, BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND, 1, new float[] {5, 4}, 0);
  private static final double CAP = 5;
  private static final int MOST_ON_A_LINE = 100;
  private static final int PARTS = 20;
  private static final String GREATEST = "greatest value in each twentieth of the time";

  /** From this number of contenders on, points of the same position would hide each other. */
  private static final int CROWD = 3;

  /** The distance between such points, as a share of the axis. */
  private static final double BESIDE = 0.004;

  private static final Shape DOT = new Ellipse2D.Double(-1.5, -1.5, 3, 3);

  private final Panel panel;
  private final Points points;
  private final ValueAxis positions;
  private final ValueAxis values;

  private LineChart(Panel panel) {
    this.panel = panel;
    this.points = Points.of(panel);
    List<Double> all = panel.rows().stream().map(panel::position).toList();
    this.positions = Axes.positions(panel.axis().orElseThrow(), all);
    this.values = Axes.values(points, positions);
  }

  static JFreeChart of(Panel panel) {
    return new LineChart(panel).draw();
  }

  private JFreeChart draw() {
    XYPlot plot = new XYPlot(series(), positions, values, renderer());
    plot.setDomainGridlinesVisible(false);
    plot.setRangeGridlinePaint(Theme.GRID);
    plot.setRangeGridlineStroke(Theme.GRID_LINE);
    return Theme.chart(plot, plot.getSeriesCount() > 1);
  }

  private XYIntervalSeriesCollection series() {
    XYIntervalSeriesCollection all = new XYIntervalSeriesCollection();
    for (String contender : panel.contenders()) {
      XYIntervalSeries series = new XYIntervalSeries(Phrases.contender(contender));
      points.of(contender).forEach(row -> add(series, row));
      all.addSeries(series);
    }
    greatest().ifPresent(all::addSeries);
    return all;
  }

  /** Returns whether points of the same position are drawn side by side. */
  static boolean isSpreadOut(Panel panel) {
    return panel.axis().isPresent() && panel.contenders().size() >= CROWD;
  }

  /** Returns the greatest values over the time, if a contender has too many for a line. */
  private Optional<XYIntervalSeries> greatest() {
    String axis = panel.axis().orElseThrow();
    List<Row> rows = panel.contenders().stream().flatMap(each -> points.of(each).stream()).toList();
    if (panel.contenders().size() > 1 || !Axes.isTime(axis) || rows.size() <= MOST_ON_A_LINE) {
      return Optional.empty();
    }
    double from = rows.stream().mapToDouble(panel::position).min().orElseThrow();
    double to = rows.stream().mapToDouble(panel::position).max().orElseThrow();
    XYIntervalSeries series = new XYIntervalSeries(GREATEST);
    for (int part = 0; part < PARTS; part++) {
      double begin = from + (to - from) * part / PARTS;
      double end = from + (to - from) * (part + 1) / PARTS;
      double x = (begin + end) / 2;
      rows.stream()
          .filter(row -> panel.position(row) >= begin && panel.position(row) <= end)
          .mapToDouble(points::median)
          .max()
          .ifPresent(y -> series.add(x, x, x, y, y, y));
    }
    return Optional.of(series);
  }

  /** Returns where a value is drawn. */
  private double x(Row row) {
    double x = panel.position(row);
    if (!isSpreadOut(panel)) {
      return x;
    }
    List<String> contenders = panel.contenders();
    double places = contenders.indexOf(row.contender()) - (contenders.size() - 1) / 2.0;
    List<Double> all = panel.rows().stream().map(panel::position).toList();
    double least = Collections.min(all);
    double most = Collections.max(all);
    return positions instanceof DecadeAxis
        ? x * Math.pow(most / least, places * BESIDE)
        : x + places * BESIDE * (most - least);
  }

  private void add(XYIntervalSeries series, Row row) {
    double x = x(row);
    double low = Math.max(points.low(row), values.getLowerBound());
    series.add(x, x, x, points.median(row), low, points.high(row));
  }

  private XYItemRenderer renderer() {
    XYErrorRenderer renderer = new XYErrorRenderer();
    renderer.setDrawXError(false);
    renderer.setDrawYError(panel.rows().stream().anyMatch(row -> row.min() < row.max()));
    renderer.setErrorStroke(SPREAD);
    renderer.setCapLength(CAP);
    List<String> contenders = panel.contenders();
    for (int series = 0; series < contenders.size(); series++) {
      boolean many = points.of(contenders.get(series)).size() > MOST_ON_A_LINE;
      Color color = Palette.color(contenders.get(series));
      boolean floor = contenders.get(series).equals(Palette.FLOOR);
      renderer.setSeriesPaint(series, color);
      renderer.setSeriesLinesVisible(series, !many);
      renderer.setSeriesShape(series, many ? DOT : Palette.shape(contenders.get(series)));
      renderer.setSeriesStroke(series, floor ? DASHED : LINE);
    }
    int greatest = contenders.size();
    renderer.setSeriesPaint(greatest, Theme.TEXT);
    renderer.setSeriesLinesVisible(greatest, true);
    renderer.setSeriesShapesVisible(greatest, false);
    renderer.setSeriesStroke(greatest, LINE);
    return renderer;
  }
}
