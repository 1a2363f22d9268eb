package dev.purgatory.benchmarks.report;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.awt.Font;
import java.awt.image.BufferedImage;

/** Checks for fonts, which charts need to measure the width of text. */
final class Fonts {
  private Fonts() {}

  /** Skips the test with a message on machines without fonts. */
  static void assumed() {
    assumeTrue(available(), "NOT TESTED: this machine has no fonts to draw charts");
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
