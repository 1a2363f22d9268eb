package dev.purgatory.benchmarks.report;

import java.awt.Color;
import java.awt.Paint;
import java.awt.Shape;
import java.awt.geom.Ellipse2D;
import java.util.ArrayList;
import java.util.List;
import org.jfree.chart.renderer.category.LineAndShapeRenderer;

/** Dots, each in a color of its own. */
final class Dots extends LineAndShapeRenderer {
  private static final long serialVersionUID = 1;
  private static final double DIAMETER = 12;

  private final ArrayList<Color> colors;

  Dots(List<Color> colors) {
    super(false, true);
    this.colors = new ArrayList<>(colors);
  }

  @Override
  public Paint getItemPaint(int row, int column) {
    return colors.get(column);
  }

  @Override
  public Shape getItemShape(int row, int column) {
    return new Ellipse2D.Double(-DIAMETER / 2, -DIAMETER / 2, DIAMETER, DIAMETER);
  }
}
