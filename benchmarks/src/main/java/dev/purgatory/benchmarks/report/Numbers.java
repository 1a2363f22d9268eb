package dev.purgatory.benchmarks.report;

import java.math.BigDecimal;
import java.math.MathContext;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.Locale;

/** Writes numbers for people: four digits at least where there are as many, thousands apart. */
public final class Numbers {
  /** What stands where there is no number. */
  public static final String NONE = "–";

  private static final MathContext DIGITS = new MathContext(4);
  private static final double WHOLE_FROM = 1_000;

  /** Below it, two digits after the point would be too few. */
  private static final double SMALL_RATIO = 0.1;

  private Numbers() {}

  /** A number, rounded; a dash if it is none. */
  static String text(double value) {
    if (!Double.isFinite(value)) {
      return NONE;
    }
    if (Math.abs(value) >= WHOLE_FROM) {
      return format("#,##0").format(value);
    }
    return format("#,##0.#########").format(new BigDecimal(value).round(DIGITS));
  }

  /** How many times one number is another, as {@code 0.25 ×}; a dash if that says nothing. */
  public static String ratio(double value, double base) {
    double ratio = value / base;
    if (!Double.isFinite(ratio) || base <= 0 || value < 0) {
      return NONE;
    }
    boolean small = ratio < SMALL_RATIO;
    return (small ? text(rounded(ratio, 2)) : format("#,##0.00").format(ratio)) + " ×";
  }

  /** A number with three digits. */
  static String brief(double value) {
    return Double.isFinite(value) ? text(rounded(value, 3)) : NONE;
  }

  /** Ratios, as {@code 0.25 × (0.2–0.3)}, or that there is no difference. */
  static String ratio(Ratios ratios) {
    String range = "(" + brief(ratios.least()) + "–" + brief(ratios.greatest()) + ")";
    return ratios.isDifference()
        ? "**" + ratio(ratios.median(), 1) + "** " + range
        : "no difference " + range;
  }

  private static double rounded(double value, int digits) {
    return new BigDecimal(value).round(new MathContext(digits)).doubleValue();
  }

  /** A new one at each call, as it is not safe for use by several threads. */
  static DecimalFormat format(String pattern) {
    return new DecimalFormat(pattern, DecimalFormatSymbols.getInstance(Locale.ROOT));
  }
}
