package dev.purgatory.benchmarks.report;

import dev.purgatory.benchmarks.results.Row;
import java.awt.Paint;
import java.awt.Shape;
import java.awt.geom.Ellipse2D;
import java.util.ArrayList;
import java.util.List;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.axis.AxisLocation;
import org.jfree.chart.axis.CategoryAxis;
import org.jfree.chart.axis.ValueAxis;
import org.jfree.chart.plot.CategoryPlot;
import org.jfree.chart.plot.DatasetRenderingOrder;
import org.jfree.chart.plot.PlotOrientation;
import org.jfree.chart.renderer.category.BarRenderer;
import org.jfree.chart.renderer.category.CategoryItemRenderer;
import org.jfree.chart.renderer.category.IntervalBarRenderer;
import org.jfree.chart.renderer.category.LineAndShapeRenderer;
import org.jfree.chart.renderer.category.StandardBarPainter;
import org.jfree.data.category.CategoryDataset;
import org.jfree.data.category.DefaultCategoryDataset;
import org.jfree.data.category.DefaultIntervalCategoryDataset;

/**
 * A horizontal bar for each contender, with its name and spread; dots if the values span several
 * decades.
 */
final class BarChart {
  private static final double WIDEST_BAR = 0.5;
  private static final double SPREAD_WIDTH = 0.008;

  private final Panel panel;
  private final Points points;
  private final ValueAxis values;

  private BarChart(Panel panel) {
    this.panel = panel;
    this.points = Points.of(panel);
    this.values = Axes.values(points);
  }

  static JFreeChart of(Panel panel) {
    return new BarChart(panel).draw();
  }

  private JFreeChart draw() {
    CategoryPlot plot = new CategoryPlot(medians(), names(), values, marks());
    plot.setDataset(1, spreads());
    plot.setRenderer(1, spread());
    plot.setOrientation(PlotOrientation.HORIZONTAL);
    plot.setRangeAxisLocation(AxisLocation.BOTTOM_OR_LEFT);
    plot.setDatasetRenderingOrder(DatasetRenderingOrder.FORWARD);
    plot.setDomainGridlinesVisible(values instanceof DecadeAxis);
    plot.setDomainGridlinePaint(Theme.GRID);
    plot.setDomainGridlineStroke(Theme.GRID_LINE);
    plot.setRangeGridlinePaint(Theme.GRID);
    plot.setRangeGridlineStroke(Theme.GRID_LINE);
    return Theme.chart(panel, plot, false);
  }

  /** Uses dots on a logarithmic axis, where the length of a bar has no meaning. */
  private CategoryItemRenderer marks() {
    if (values instanceof DecadeAxis) {
      return new Dots(panel.contenders());
    }
    BarRenderer bars = plain(new Bars(panel.contenders()));
    bars.setMaximumBarWidth(WIDEST_BAR);
    return bars;
  }

  private CategoryDataset medians() {
    DefaultCategoryDataset data = new DefaultCategoryDataset();
    for (String contender : panel.contenders()) {
      points.of(contender).forEach(row -> data.addValue(points.median(row), "median", contender));
    }
    return data;
  }

  private CategoryDataset spreads() {
    String[] names = panel.contenders().toArray(String[]::new);
    double[][] low = new double[1][names.length];
    double[][] high = new double[1][names.length];
    for (int i = 0; i < names.length; i++) {
      for (Row row : points.of(names[i])) {
        low[0][i] = Math.max(points.low(row), values.getLowerBound());
        high[0][i] = points.high(row);
      }
    }
    DefaultIntervalCategoryDataset data = new DefaultIntervalCategoryDataset(low, high);
    data.setCategoryKeys(names);
    return data;
  }

  private static CategoryAxis names() {
    CategoryAxis axis = new CategoryAxis();
    Theme.apply(axis);
    axis.setTickMarksVisible(false);
    axis.setMaximumCategoryLabelLines(2);
    return axis;
  }

  private static BarRenderer spread() {
    BarRenderer renderer = plain(new IntervalBarRenderer());
    renderer.setSeriesPaint(0, Theme.TEXT);
    renderer.setMaximumBarWidth(SPREAD_WIDTH);
    return renderer;
  }

  private static BarRenderer plain(BarRenderer renderer) {
    renderer.setBarPainter(new StandardBarPainter());
    renderer.setShadowVisible(false);
    renderer.setDrawBarOutline(false);
    return renderer;
  }

  /** Bars in the colors of the contenders. */
  private static final class Bars extends BarRenderer {
    private static final long serialVersionUID = 1;

    private final ArrayList<String> contenders;

    Bars(List<String> contenders) {
      this.contenders = new ArrayList<>(contenders);
    }

    @Override
    public Paint getItemPaint(int row, int column) {
      return Palette.color(contenders.get(column));
    }
  }

  /** Dots in the colors of the contenders. */
  private static final class Dots extends LineAndShapeRenderer {
    private static final long serialVersionUID = 1;
    private static final double DIAMETER = 12;

    private final ArrayList<String> contenders;

    Dots(List<String> contenders) {
      super(false, true);
      this.contenders = new ArrayList<>(contenders);
    }

    @Override
    public Paint getItemPaint(int row, int column) {
      return Palette.color(contenders.get(column));
    }

    @Override
    public Shape getItemShape(int row, int column) {
      return new Ellipse2D.Double(-DIAMETER / 2, -DIAMETER / 2, DIAMETER, DIAMETER);
    }
  }
}
