package dev.purgatory.benchmarks.report;

import dev.purgatory.benchmarks.results.Row;
import java.awt.Paint;
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
  private static final float LABEL_WIDTH = 0.8f;
  private static final int LABEL_GAP = 14;

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
    return Theme.chart(plot, false);
  }

  /** Uses dots on a logarithmic axis, where the length of a bar has no meaning. */
  private CategoryItemRenderer marks() {
    if (values instanceof DecadeAxis) {
      return new Dots(panel.contenders().stream().map(Palette::color).toList());
    }
    BarRenderer bars = plain(new Bars(panel.contenders()));
    bars.setMaximumBarWidth(WIDEST_BAR);
    return bars;
  }

  private CategoryDataset medians() {
    DefaultCategoryDataset data = new DefaultCategoryDataset();
    for (String contender : panel.contenders()) {
      points
          .of(contender)
          .forEach(
              row -> data.addValue(points.median(row), "median", Phrases.contender(contender)));
    }
    return data;
  }

  private CategoryDataset spreads() {
    List<String> names = panel.contenders();
    double[] low = new double[names.size()];
    double[] high = new double[names.size()];
    for (int i = 0; i < low.length; i++) {
      for (Row row : points.of(names.get(i))) {
        low[i] = Math.max(points.low(row), values.getLowerBound());
        high[i] = points.high(row);
      }
    }
    return spreads(names.stream().map(Phrases::contender).toList(), low, high);
  }

  /** Returns the range of each name. */
  static CategoryDataset spreads(List<String> names, double[] low, double[] high) {
    DefaultIntervalCategoryDataset data =
        new DefaultIntervalCategoryDataset(new double[][] {low}, new double[][] {high});
    data.setCategoryKeys(names.toArray(String[]::new));
    return data;
  }

  /** Returns the axis of the names. */
  static CategoryAxis names() {
    CategoryAxis axis = new CategoryAxis();
    Theme.apply(axis);
    axis.setTickMarksVisible(false);
    axis.setCategoryLabelPositionOffset(LABEL_GAP);
    axis.setMaximumCategoryLabelWidthRatio(LABEL_WIDTH);
    return axis;
  }

  /** Returns thin bars from the least to the greatest value. */
  static BarRenderer spread() {
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
}
