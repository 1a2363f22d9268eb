package dev.purgatory.benchmarks.report;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.awt.Font;
import java.awt.image.BufferedImage;

/** Charts need a font of the machine, to know how wide a word is. */
final class Fonts {
  private Fonts() {}

  /** Skips the test, with a word about it, on a machine that has none. */
  static void assumed() {
    assumeTrue(available(), "NOT TESTED: this machine has no fonts, so that no chart can be drawn");
  }

  private static boolean available() {
    try {
      BufferedImage image = new BufferedImage(1, 1, BufferedImage.TYPE_INT_RGB);
      Font font = new Font(Font.SANS_SERIF, Font.PLAIN, 12);
      return image.createGraphics().getFontMetrics(font).stringWidth("x") > 0;
    } catch (RuntimeException | LinkageError e) {
      return false;
    }
  }
}
