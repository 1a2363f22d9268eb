package dev.purgatory.benchmarks.report;

import dev.purgatory.benchmarks.results.Row;
import java.awt.BasicStroke;
import java.awt.Color;
import java.util.List;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.axis.ValueAxis;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.renderer.xy.XYErrorRenderer;
import org.jfree.chart.renderer.xy.XYItemRenderer;
import org.jfree.data.xy.XYIntervalSeries;
import org.jfree.data.xy.XYIntervalSeriesCollection;

/** A line for each contender, over the parameter that varies. */
final class LineChart {
  private static final BasicStroke LINE = new BasicStroke(2);
  private static final BasicStroke SPREAD = new BasicStroke(1.2f);
  private static final BasicStroke DASHED =
      new BasicStroke(2, BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND, 1, new float[] {5, 4}, 0);
  private static final double CAP = 5;

  private final Panel panel;
  private final Points points;
  private final ValueAxis values;

  private LineChart(Panel panel) {
    this.panel = panel;
    this.points = Points.of(panel);
    this.values = Axes.values(points);
  }

  static JFreeChart of(Panel panel) {
    return new LineChart(panel).draw();
  }

  private JFreeChart draw() {
    List<Double> positions = panel.rows().stream().map(panel::position).toList();
    ValueAxis x = Axes.positions(panel.axis().orElseThrow(), positions);
    XYPlot plot = new XYPlot(series(), x, values, renderer());
    plot.setDomainGridlinesVisible(false);
    plot.setRangeGridlinePaint(Theme.GRID);
    plot.setRangeGridlineStroke(Theme.GRID_LINE);
    return Theme.chart(panel, plot, true);
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
    renderer.setDefaultLinesVisible(true);
    renderer.setErrorStroke(SPREAD);
    renderer.setCapLength(CAP);
    List<String> contenders = panel.contenders();
    for (int series = 0; series < contenders.size(); series++) {
      Color color = Palette.color(contenders.get(series));
      boolean floor = contenders.get(series).equals(Palette.FLOOR);
      renderer.setSeriesPaint(series, color);
      renderer.setSeriesShape(series, Palette.shape(contenders.get(series)));
      renderer.setSeriesStroke(series, floor ? DASHED : LINE);
    }
    return renderer;
  }
}
