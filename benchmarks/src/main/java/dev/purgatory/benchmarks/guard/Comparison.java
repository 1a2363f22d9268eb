package dev.purgatory.benchmarks.guard;

import dev.purgatory.benchmarks.report.Numbers;
import dev.purgatory.benchmarks.results.Ratio;
import dev.purgatory.benchmarks.results.Results;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Compares a published figure of a contender with today's.
 *
 * @param figure the figure
 * @param contender the contender
 * @param published the published ratio; empty if it is unknown
 * @param today today's ratio; empty if it is unknown
 * @param higherIsBetter whether a larger ratio is better
 * @param failed whether a JVM that should measure the figure failed today, but not in the published
 *     run
 */
record Comparison(
    Figure figure,
    String contender,
    Optional<Ratio> published,
    Optional<Ratio> today,
    boolean higherIsBetter,
    boolean failed) {

  static Comparison of(Figure figure, String contender, Results published, Results today) {
    return new Comparison(
        figure,
        contender,
        figure.ratio(published, contender),
        figure.ratio(today, contender),
        figure.isHigherBetter(published),
        figure.hasFailed(today, contender) && !figure.hasFailed(published, contender));
  }

  /** The result of a comparison. */
  enum Verdict {
    WORSE("worse"),
    FAILED("failed"),
    BETTER("better"),
    SAME("within the noise"),
    NOT_PUBLISHED("not published"),
    NOT_MEASURED("not measured");

    private final String title;

    Verdict(String title) {
      this.title = title;
    }

    /** Returns whether this is a regression. */
    boolean isWorse() {
      return this == WORSE || this == FAILED;
    }
  }

  Verdict verdict() {
    if (failed) {
      return Verdict.FAILED;
    }
    if (published.isEmpty() || today.isEmpty()) {
      return published.isEmpty() ? Verdict.NOT_PUBLISHED : Verdict.NOT_MEASURED;
    }
    boolean more = change() > 1 + noise();
    boolean less = change() < 1 / (1 + noise());
    if (!more && !less) {
      return Verdict.SAME;
    }
    return more == higherIsBetter ? Verdict.BETTER : Verdict.WORSE;
  }

  /** Returns the title of the figure and the contender. */
  String title() {
    return figure.title() + " (" + contender + ")";
  }

  /** Returns a row of a table with the columns of {@link Guard#COLUMNS}. */
  List<String> cells() {
    boolean both = published.isPresent() && today.isPresent();
    return List.of(
        figure.title(),
        contender,
        text(published),
        text(today),
        both ? percent("%+.0f %%", change() - 1) : Numbers.NONE,
        both ? percent("%.0f %%", noise()) : Numbers.NONE,
        verdict().title);
  }

  /** Returns today's ratio divided by the published one. Both must be known. */
  private double change() {
    return value(today) / value(published);
  }

  private static double value(Optional<Ratio> ratio) {
    return ratio.map(Ratio::median).orElse(1.0);
  }

  private double noise() {
    return Math.max(figure.minNoise(), Math.hypot(noise(published), noise(today)));
  }

  private static double noise(Optional<Ratio> ratio) {
    return ratio.map(Ratio::spread).orElse(0.0);
  }

  private static String text(Optional<Ratio> ratio) {
    return ratio.map(some -> Numbers.ratio(some.median(), 1)).orElse(Numbers.NONE);
  }

  private static String percent(String format, double share) {
    return String.format(Locale.ROOT, format, 100 * share);
  }
}
