package dev.purgatory.benchmarks.report;

import dev.purgatory.benchmarks.results.Environment;
import dev.purgatory.benchmarks.results.Row;
import java.awt.Dimension;
import java.util.List;
import java.util.function.Supplier;
import org.jfree.chart.JFreeChart;

/**
 * A chart that can be drawn.
 *
 * @param id the name of the chart, which is also the name of its file
 * @param heading the title, including the unit
 * @param description the values and where they come from, for readers who do not see the drawing
 * @param rows the values
 * @param size the size in pixels
 * @param chart draws the chart
 */
record Drawing(
    String id,
    String heading,
    String description,
    List<Row> rows,
    Dimension size,
    Supplier<JFreeChart> chart) {

  Drawing {
    rows = List.copyOf(rows);
  }

  /** Returns the chart of a panel. */
  static Drawing of(Panel panel, Environment environment) {
    String note = Theme.note(panel);
    String source = Provenance.of(environment).line();
    return new Drawing(
        panel.id(),
        panel.heading(),
        Grid.of(panel).text() + "\n" + note + "\n" + source,
        panel.rows(),
        Charts.size(panel),
        () -> Theme.titled(Charts.of(panel), panel.heading(), note, source));
  }

  /** Returns the path of the file below the folder of the charts. */
  String file() {
    return id + ".svg";
  }
}
