package dev.purgatory.benchmarks.report;

import dev.purgatory.benchmarks.results.Environment;
import dev.purgatory.benchmarks.results.Ratio;
import dev.purgatory.benchmarks.results.Results;
import dev.purgatory.benchmarks.results.Row;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Dimension;
import java.awt.Shape;
import java.awt.geom.Rectangle2D;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.axis.AxisLocation;
import org.jfree.chart.axis.CategoryAxis;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.plot.CategoryPlot;
import org.jfree.chart.plot.DatasetRenderingOrder;
import org.jfree.chart.plot.PlotOrientation;
import org.jfree.chart.plot.ValueMarker;
import org.jfree.chart.renderer.category.LineAndShapeRenderer;
import org.jfree.data.category.CategoryDataset;
import org.jfree.data.category.DefaultCategoryDataset;

/** Draws the cost of each feature relative to the best rival, beside its target. */
final class TargetChart {
  private static final Color WORSE = new Color(0xd1495b);
  private static final Color BETTER = new Color(0x3a8f5c);
  private static final Color NO_DIFFERENCE = new Color(0x8a8f98);
  private static final Color GOAL = new Color(0xe0a100);
  private static final Shape TARGET = new Rectangle2D.Double(-2, -11, 4, 22);
  private static final BasicStroke LINE = new BasicStroke(1.5f);
  private static final int WIDTH = 800;
  private static final int FRAME_HEIGHT = 130;
  private static final int LINE_HEIGHT = 32;
  private static final double HEADROOM = 1.05;
  private static final String NOTE =
      "lower is better; line: all rounds; red: worse, green: better, grey: no difference; upright:"
          + " target";

  private final List<Target.Comparison> all;

  private TargetChart(List<Target.Comparison> all) {
    this.all = all;
  }

  /** Returns the chart; empty if there are no results for it. */
  static Optional<Drawing> of(String id, String title, Results results) {
    List<Target.Comparison> all = Targets.compare(results);
    return all.isEmpty()
        ? Optional.empty()
        : Optional.of(new TargetChart(all).drawing(id, title, results.environment()));
  }

  private Drawing drawing(String id, String title, Environment environment) {
    String source = Provenance.of(environment).line();
    List<Row> rows = all.stream().flatMap(each -> Stream.of(each.ours(), each.best())).toList();
    return new Drawing(
        id,
        title,
        description() + "\n" + NOTE + "\n" + source,
        rows,
        new Dimension(WIDTH, FRAME_HEIGHT + LINE_HEIGHT * all.size()),
        () -> Theme.titled(draw(), title, NOTE, source));
  }

  private String description() {
    return new TextTable(
            "",
            List.of("task", "ratio", "target"),
            all.stream()
                .map(
                    each ->
                        List.of(
                            label(each),
                            Numbers.plain(each.ratio()),
                            Numbers.brief(each.target().share())))
                .toList())
        .text();
  }

  private static String label(Target.Comparison each) {
    return each.target().task() + ", against " + each.best().contender();
  }

  private JFreeChart draw() {
    NumberAxis values = new NumberAxis("cost relative to the best rival");
    Theme.apply(values);
    values.setRange(0, HEADROOM * greatest());
    CategoryAxis names = BarChart.names();
    CategoryPlot plot = new CategoryPlot(medians(), names, values, dots());
    plot.setDataset(1, spreads());
    plot.setRenderer(1, BarChart.spread());
    plot.setDataset(2, targets());
    plot.setRenderer(2, marks());
    plot.setOrientation(PlotOrientation.HORIZONTAL);
    plot.setRangeAxisLocation(AxisLocation.BOTTOM_OR_LEFT);
    plot.setDatasetRenderingOrder(DatasetRenderingOrder.FORWARD);
    plot.setRangeGridlinePaint(Theme.GRID);
    plot.setRangeGridlineStroke(Theme.GRID_LINE);
    plot.addRangeMarker(new ValueMarker(1, Theme.TEXT, LINE));
    return Theme.chart(plot, false);
  }

  private double greatest() {
    return all.stream()
        .mapToDouble(each -> Math.max(each.ratio().greatest(), each.target().share()))
        .max()
        .orElse(1);
  }

  private DefaultCategoryDataset medians() {
    DefaultCategoryDataset data = new DefaultCategoryDataset();
    all.forEach(each -> data.addValue(each.ratio().median(), "ratio", label(each)));
    return data;
  }

  private DefaultCategoryDataset targets() {
    DefaultCategoryDataset data = new DefaultCategoryDataset();
    all.forEach(each -> data.addValue(each.target().share(), "target", label(each)));
    return data;
  }

  private CategoryDataset spreads() {
    return BarChart.spreads(
        all.stream().map(TargetChart::label).toList(),
        all.stream().mapToDouble(each -> each.ratio().least()).toArray(),
        all.stream().mapToDouble(each -> each.ratio().greatest()).toArray());
  }

  private Dots dots() {
    return new Dots(all.stream().map(each -> color(each.ratio())).toList());
  }

  private static Color color(Ratio ratio) {
    if (!ratio.isDifference()) {
      return NO_DIFFERENCE;
    }
    return ratio.median() > 1 ? WORSE : BETTER;
  }

  private static LineAndShapeRenderer marks() {
    LineAndShapeRenderer renderer = new LineAndShapeRenderer(false, true);
    renderer.setSeriesShape(0, TARGET);
    renderer.setSeriesPaint(0, GOAL);
    return renderer;
  }
}
