package dev.purgatory.benchmarks.report;

import java.awt.Graphics2D;
import java.awt.geom.Rectangle2D;
import java.util.ArrayList;
import java.util.List;
import org.jfree.chart.axis.AxisState;
import org.jfree.chart.axis.LogAxis;
import org.jfree.chart.axis.NumberTick;
import org.jfree.chart.axis.NumberTickUnit;
import org.jfree.chart.ui.RectangleEdge;
import org.jfree.chart.ui.TextAnchor;

/**
 * A logarithmic axis with plain numbers; JFreeChart's own axis uses powers. It has a tick for each
 * of the given values, if these are few, and otherwise for each decade, and for 2 and 5 in between
 * if there are few decades.
 */
final class DecadeAxis extends LogAxis {
  private static final long serialVersionUID = 1;
  private static final int MANY_VALUES = 8;
  private static final double FEW_DECADES = 2.5;

  private final ArrayList<Double> values;

  DecadeAxis(String label, List<Double> values) {
    super(label);
    this.values = new ArrayList<>(values.size() > MANY_VALUES ? List.of() : values);
    setTickUnit(new NumberTickUnit(1));
    setMinorTickMarksVisible(false);
  }

  @Override
  public List<NumberTick> refreshTicks(
      Graphics2D graphics, AxisState state, Rectangle2D area, RectangleEdge edge) {
    boolean isHorizontal = RectangleEdge.isTopOrBottom(edge);
    TextAnchor anchor = isHorizontal ? TextAnchor.TOP_CENTER : TextAnchor.CENTER_RIGHT;
    return ticks().stream()
        .filter(value -> getRange().contains(value))
        .map(value -> new NumberTick(value, Numbers.text(value), anchor, TextAnchor.CENTER, 0))
        .toList();
  }

  private List<Double> ticks() {
    if (!values.isEmpty()) {
      return values;
    }
    double from = Math.log10(getLowerBound());
    double to = Math.log10(getUpperBound());
    List<Integer> steps = to - from < FEW_DECADES ? List.of(1, 2, 5) : List.of(1);
    List<Double> ticks = new ArrayList<>();
    for (int decade = (int) Math.floor(from); decade <= to; decade++) {
      for (int step : steps) {
        ticks.add(step * Math.pow(10, decade));
      }
    }
    return ticks;
  }
}
