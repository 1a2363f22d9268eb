package dev.purgatory.benchmarks.report;

import dev.purgatory.benchmarks.results.Ratio;
import java.math.BigDecimal;
import java.math.MathContext;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.Locale;

/** Formats numbers with up to four significant digits and a separator for thousands. */
public final class Numbers {
  /** Represents a missing number. */
  public static final String NONE = "–";

  private static final MathContext DIGITS = new MathContext(4);
  private static final double WHOLE_FROM = 1_000;

  /** The value below which a ratio has two significant digits instead of two decimals. */
  private static final double SMALL_RATIO = 0.1;

  private Numbers() {}

  /** Returns a rounded number, or a dash if it is not finite. */
  static String text(double value) {
    if (!Double.isFinite(value)) {
      return NONE;
    }
    if (Math.abs(value) >= WHOLE_FROM) {
      return format("#,##0").format(value);
    }
    return format("#,##0.#########").format(new BigDecimal(value).round(DIGITS));
  }

  /** Returns a ratio, as {@code 0.25 ×}, or a dash if it has no meaning. */
  public static String ratio(double value, double base) {
    double ratio = value / base;
    if (!Double.isFinite(ratio) || base <= 0 || value < 0) {
      return NONE;
    }
    boolean small = ratio < SMALL_RATIO;
    return (small ? text(rounded(ratio, 2)) : format("#,##0.00").format(ratio)) + " ×";
  }

  /** Returns a number with three significant digits, or a dash if it is not finite. */
  static String brief(double value) {
    return Double.isFinite(value) ? text(rounded(value, 3)) : NONE;
  }

  /** Returns the ratio and its range, as {@code 0.25 × (0.2–0.3)}, or "no difference". */
  static String ratio(Ratio ratio) {
    String range = "(" + brief(ratio.least()) + "–" + brief(ratio.greatest()) + ")";
    return ratio.isDifference()
        ? "**" + ratio(ratio.median(), 1) + "** " + range
        : "no difference " + range;
  }

  /** Returns the same as {@link #ratio(Ratio)} as plain text, without the range of one value. */
  static String plain(Ratio ratio) {
    if (ratio.least() == ratio.greatest()) {
      return ratio(ratio.median(), 1);
    }
    String range = " (" + brief(ratio.least()) + "–" + brief(ratio.greatest()) + ")";
    return (ratio.isDifference() ? ratio(ratio.median(), 1) : "no difference") + range;
  }

  private static double rounded(double value, int digits) {
    return new BigDecimal(value).round(new MathContext(digits)).doubleValue();
  }

  /** Returns a new format, since formats are not thread-safe. */
  static DecimalFormat format(String pattern) {
    return new DecimalFormat(pattern, DecimalFormatSymbols.getInstance(Locale.ROOT));
  }
}
