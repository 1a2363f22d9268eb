package dev.purgatory.benchmarks.report;

import java.awt.Dimension;
import org.jfree.chart.JFreeChart;

/** Chooses how to draw a panel: lines over a number that varies, or one bar for each contender. */
final class Charts {
  private static final int WIDTH = 800;
  private static final int LINES_HEIGHT = 440;
  private static final int BARS_HEIGHT = 105;
  private static final int BAR_HEIGHT = 32;

  private Charts() {}

  /** The chart of a panel. */
  static JFreeChart of(Panel panel) {
    return panel.axis().isPresent() ? LineChart.of(panel) : BarChart.of(panel);
  }

  /** How large it is to be drawn. */
  static Dimension size(Panel panel) {
    int height =
        panel.axis().isPresent()
            ? LINES_HEIGHT
            : BARS_HEIGHT + BAR_HEIGHT * panel.contenders().size();
    return new Dimension(WIDTH, height);
  }
}
