package dev.purgatory.benchmarks.report;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.axis.Axis;
import org.jfree.chart.plot.Plot;
import org.jfree.chart.title.TextTitle;
import org.jfree.chart.ui.HorizontalAlignment;
import org.jfree.chart.ui.RectangleInsets;

/** The appearance of charts: dark on white, with thin gray grid lines. */
final class Theme {
  static final Color TEXT = new Color(0x24292f);
  static final Color QUIET = new Color(0x57606a);
  static final Color GRID = new Color(0xe1e4e8);
  static final Color BACKGROUND = Color.WHITE;
  static final Font FONT = new Font(Font.SANS_SERIF, Font.PLAIN, 13);
  static final BasicStroke GRID_LINE = new BasicStroke(1);

  private static final Font TITLE = new Font(Font.SANS_SERIF, Font.BOLD, 15);
  private static final RectangleInsets MARGIN = new RectangleInsets(10, 10, 10, 24);
  private static final RectangleInsets LEGEND_GAP = new RectangleInsets(2, 2, 2, 14);

  private Theme() {}

  /** Creates a chart with a panel's title and a note about its spreads. */
  static JFreeChart chart(Panel panel, Plot plot, boolean legend) {
    plot.setBackgroundPaint(BACKGROUND);
    plot.setOutlineVisible(false);
    JFreeChart chart = new JFreeChart(null, TITLE, plot, legend);
    chart.setBackgroundPaint(BACKGROUND);
    chart.setPadding(MARGIN);
    chart.addSubtitle(0, title(panel.heading(), TITLE, TEXT));
    chart.addSubtitle(1, title(note(panel), FONT, QUIET));
    if (legend) {
      chart.getLegend().setItemFont(FONT);
      chart.getLegend().setItemPaint(TEXT);
      chart.getLegend().setItemLabelPadding(LEGEND_GAP);
      chart.getLegend().setBorder(0, 0, 0, 0);
    }
    return chart;
  }

  /** Applies the theme to an axis. */
  static void apply(Axis axis) {
    axis.setLabelFont(FONT);
    axis.setLabelPaint(QUIET);
    axis.setTickLabelFont(FONT);
    axis.setTickLabelPaint(TEXT);
    axis.setAxisLinePaint(GRID);
    axis.setTickMarkPaint(GRID);
  }

  private static String note(Panel panel) {
    int jvms = panel.rows().stream().mapToInt(row -> row.values().size()).max().orElse(0);
    String spread = jvms > 1 ? "; median of up to " + jvms + " JVMs, error bars: min to max" : "";
    String remark = panel.remark().isEmpty() ? "" : "; " + panel.remark();
    return panel.direction() + spread + remark;
  }

  private static TextTitle title(String text, Font font, Color color) {
    TextTitle title = new TextTitle(text, font);
    title.setPaint(color);
    title.setHorizontalAlignment(HorizontalAlignment.LEFT);
    title.setPadding(2, 4, 2, 4);
    return title;
  }
}
