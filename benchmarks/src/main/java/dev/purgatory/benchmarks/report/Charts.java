package dev.purgatory.benchmarks.report;

import java.awt.Dimension;
import org.jfree.chart.JFreeChart;

/** Draws a panel: as lines if a parameter varies, and otherwise as one bar per contender. */
final class Charts {
  private static final int WIDTH = 800;
  private static final int LINES_HEIGHT = 520;
  private static final int BARS_HEIGHT = 105;
  private static final int BAR_HEIGHT = 32;

  private Charts() {}

  /** Returns the chart of a panel. */
  static JFreeChart of(Panel panel) {
    return panel.axis().isPresent() ? LineChart.of(panel) : BarChart.of(panel);
  }

  /** Returns the size of the chart of a panel, in pixels. */
  static Dimension size(Panel panel) {
    int height =
        panel.axis().isPresent()
            ? LINES_HEIGHT
            : BARS_HEIGHT + BAR_HEIGHT * panel.contenders().size();
    return new Dimension(WIDTH, height);
  }
}
