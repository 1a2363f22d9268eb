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
  private static final Font LABEL = new Font(Font.SANS_SERIF, Font.PLAIN, 12);
  static final BasicStroke GRID_LINE = new BasicStroke(1);

  private static final Font TITLE = new Font(Font.SANS_SERIF, Font.BOLD, 15);
  private static final RectangleInsets MARGIN = new RectangleInsets(10, 10, 10, 24);
  private static final RectangleInsets LEGEND_GAP = new RectangleInsets(2, 2, 2, 14);

  private Theme() {}

  /** Creates a chart without a title. */
  static JFreeChart chart(Plot plot, boolean legend) {
    plot.setBackgroundPaint(BACKGROUND);
    plot.setOutlineVisible(false);
    JFreeChart chart = new JFreeChart(null, TITLE, plot, legend);
    chart.setBackgroundPaint(BACKGROUND);
    chart.setPadding(MARGIN);
    if (legend) {
      chart.getLegend().setItemFont(FONT);
      chart.getLegend().setItemPaint(TEXT);
      chart.getLegend().setItemLabelPadding(LEGEND_GAP);
      chart.getLegend().setBorder(0, 0, 0, 0);
    }
    return chart;
  }

  /** Adds a title, and lines in a quieter color below it. */
  static JFreeChart titled(JFreeChart chart, String heading, String... lines) {
    chart.addSubtitle(0, title(heading, TITLE, TEXT));
    for (int i = 0; i < lines.length; i++) {
      chart.addSubtitle(i + 1, title(lines[i], FONT, QUIET));
    }
    return chart;
  }

  /** Applies the theme to an axis. */
  static void apply(Axis axis) {
    axis.setLabelFont(LABEL);
    axis.setLabelPaint(QUIET);
    axis.setTickLabelFont(FONT);
    axis.setTickLabelPaint(TEXT);
    axis.setAxisLinePaint(GRID);
    axis.setTickMarkPaint(GRID);
  }

  /** Returns which values are better, and how many JVMs they come from. */
  static String note(Panel panel) {
    String jvms = Provenance.range(panel.rows().stream().map(row -> row.values().size()).toList());
    String spread =
        jvms.equals("1") ? "; one JVM" : "; median of " + jvms + " JVMs, error bars: min to max";
    String beside =
        LineChart.isSpreadOut(panel) ? "; points of the same position are side by side" : "";
    String remark = panel.remark().isEmpty() ? "" : "; " + panel.remark();
    return panel.direction() + spread + beside + remark;
  }

  private static TextTitle title(String text, Font font, Color color) {
    TextTitle title = new TextTitle(text, font);
    title.setPaint(color);
    title.setHorizontalAlignment(HorizontalAlignment.LEFT);
    title.setPadding(2, 4, 2, 4);
    return title;
  }
}
