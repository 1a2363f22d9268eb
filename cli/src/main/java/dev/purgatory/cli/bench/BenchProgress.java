package dev.purgatory.cli.bench;

import dev.purgatory.benchmarks.Progress;
import dev.purgatory.cli.text.Bar;
import java.time.Duration;
import java.util.Locale;
import me.tongfei.progressbar.ProgressBar;

/**
 * Shows the progress and the remaining time of a benchmark: a moving bar on a terminal, otherwise a
 * line every few seconds.
 */
public final class BenchProgress implements Progress, AutoCloseable {
  private static final int LINE_MILLIS = 10_000;

  private final Bar bar =
      new Bar(LINE_MILLIS, ProgressBar.builder().setTaskName("bench").setInitialMax(1));

  /** Shows the progress of a run on standard error. */
  public BenchProgress() {}

  @Override
  public void advanced(int done, int total, String current, Duration left) {
    bar.show(done, total, current.isEmpty() ? "" : time(left) + " left, " + current);
  }

  @Override
  public void note(String text) {
    bar.say(text);
  }

  @Override
  public void close() {
    bar.close();
  }

  /** Formats a duration in minutes and seconds, or in hours and minutes if it is long. */
  public static String time(Duration left) {
    if (left.toHours() > 0) {
      return String.format(Locale.ROOT, "%d h %d min", left.toHours(), left.toMinutesPart());
    }
    return left.toMinutes() > 0
        ? String.format(Locale.ROOT, "%d min %d s", left.toMinutes(), left.toSecondsPart())
        : left.toSeconds() + " s";
  }
}
