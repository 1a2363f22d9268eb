package dev.purgatory.base;

import java.time.Duration;
import java.util.Locale;

/** Writes durations for people: 150 ms, 2.1 s, 8 min 58 s, 2 h 5 min. */
public final class DurationText {

  private DurationText() {}

  /**
   * Writes a duration.
   *
   * @param duration may be negative
   * @return the largest unit with a fraction or the next one, rounded towards zero
   */
  public static String of(Duration duration) {
    if (duration.isNegative()) {
      return "-" + of(duration.negated());
    }
    long millis = duration.toMillis();
    if (millis < 1_000) {
      return millis + " ms";
    }
    long seconds = millis / 1_000;
    if (seconds < 60) {
      long tenths = millis / 100 % 10;
      return seconds + (tenths == 0 ? "" : "." + tenths) + " s";
    }
    return seconds < 3_600
        ? seconds / 60 + " min " + seconds % 60 + " s"
        : String.format(Locale.ROOT, "%,d h %d min", seconds / 3_600, seconds / 60 % 60);
  }
}
