package dev.purgatory.benchmarks.report;

import java.awt.Graphics2D;
import java.awt.geom.Rectangle2D;
import java.util.List;
import org.jfree.chart.axis.AxisState;
import org.jfree.chart.axis.LogAxis;
import org.jfree.chart.axis.NumberTick;
import org.jfree.chart.axis.NumberTickUnit;
import org.jfree.chart.axis.ValueTick;
import org.jfree.chart.ui.RectangleEdge;

/** A logarithmic axis with a plain number at each decade; JFreeChart's own axis uses powers. */
final class DecadeAxis extends LogAxis {
  private static final long serialVersionUID = 1;

  DecadeAxis(String label) {
    super(label);
    setTickUnit(new NumberTickUnit(1));
    setMinorTickMarksVisible(false);
  }

  @Override
  public List<NumberTick> refreshTicks(
      Graphics2D graphics, AxisState state, Rectangle2D area, RectangleEdge edge) {
    List<?> ticks = super.refreshTicks(graphics, state, area, edge);
    return ticks.stream().map(tick -> plain((ValueTick) tick)).toList();
  }

  private static NumberTick plain(ValueTick tick) {
    return new NumberTick(
        tick.getValue(),
        Numbers.text(tick.getValue()),
        tick.getTextAnchor(),
        tick.getRotationAnchor(),
        tick.getAngle());
  }
}
