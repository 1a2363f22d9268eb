package dev.purgatory.benchmarks.report;

import dev.purgatory.benchmarks.results.Row;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Shape;
import java.awt.geom.Ellipse2D;
import java.util.List;
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
    return Theme.chart(plot, true);
  }

  private XYIntervalSeriesCollection series() {
    XYIntervalSeriesCollection all = new XYIntervalSeriesCollection();
    for (String contender : panel.contenders()) {
      XYIntervalSeries series = new XYIntervalSeries(contender);
      points.of(contender).forEach(row -> add(series, row));
      all.addSeries(series);
    }
    return all;
  }

  private void add(XYIntervalSeries series, Row row) {
    double x = panel.position(row);
    double low = Math.max(points.low(row), values.getLowerBound());
    series.add(x, x, x, points.median(row), low, points.high(row));
  }

  private XYItemRenderer renderer() {
    XYErrorRenderer renderer = new XYErrorRenderer();
    renderer.setDrawXError(false);
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
    return renderer;
  }
}
