package dev.purgatory.benchmarks.report;

import dev.purgatory.benchmarks.results.Ratio;
import java.math.BigDecimal;
import java.math.MathContext;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.Locale;
import java.util.regex.Pattern;

/** Formats numbers with up to four significant digits and a separator for thousands. */
final class Numbers {
  /** Represents a missing number. */
  static final String NONE = "–";

  private static final Pattern NUMBER = Pattern.compile("-?\\d+(\\.\\d+)?");
  private static final double WHOLE_FROM = 1_000;

  /** The value below which a ratio has two significant digits instead of two decimals. */
  private static final double SMALL_RATIO = 0.1;

  private Numbers() {}

  /** Returns a rounded number, or a dash if it is not finite. */
  static String text(double value) {
    return rounded(value, 4);
  }

  /** Returns a number with three significant digits, or a dash if it is not finite. */
  static String brief(double value) {
    return rounded(value, 3);
  }

  private static String rounded(double value, int digits) {
    if (!Double.isFinite(value)) {
      return NONE;
    }
    double rounded = new BigDecimal(value).round(new MathContext(digits)).doubleValue();
    return Math.abs(value) >= WHOLE_FROM && digits > 3
        ? format("#,##0", value)
        : format("#,##0.#########", rounded);
  }

  /** Returns the range of numbers, or one number if they are shown equal. */
  static String range(double least, double greatest) {
    String from = brief(least);
    String to = brief(greatest);
    return from.equals(to) ? from : from + "–" + to;
  }

  /** Returns the ratio, what it says if that is not obvious, and its range if it has one. */
  static String ratio(Ratio ratio) {
    String median =
        (ratio.median() < SMALL_RATIO
                ? rounded(ratio.median(), 2)
                : format("#,##0.00", ratio.median()))
            + " ×";
    String range = range(ratio.least(), ratio.greatest());
    range = range.contains("–") ? " (" + range + ")" : "";
    return switch (ratio.verdict()) {
      case DIFFERENCE -> "**" + median + "**" + range;
      case NO_DIFFERENCE -> "no difference" + range;
      case UNCERTAIN -> "uncertain: " + median + range;
    };
  }

  /** Returns the value of a parameter; numbers get a separator for thousands. */
  static String parameter(String value) {
    return isNumber(value) ? text(Double.parseDouble(value)) : value;
  }

  /** Returns whether the value of a parameter is a number. */
  static boolean isNumber(String value) {
    return NUMBER.matcher(value).matches();
  }

  /** Uses a new format each time, since formats are not thread-safe. */
  private static String format(String pattern, double value) {
    return new DecimalFormat(pattern, DecimalFormatSymbols.getInstance(Locale.ROOT)).format(value);
  }
}
