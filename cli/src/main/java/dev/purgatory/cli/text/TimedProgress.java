package dev.purgatory.cli.text;

import dev.purgatory.cluster.run.Progress;
import java.time.Duration;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import org.jspecify.annotations.Nullable;

/**
 * Shows the progress of a run that takes a known time: a moving bar on a terminal, otherwise a line
 * every few seconds.
 */
public final class TimedProgress implements Progress, AutoCloseable {
  private static final int UNITS_PER_SECOND = 10;
  private static final long UNIT_MILLIS = 1_000 / UNITS_PER_SECOND;
  private static final int LINE_MILLIS = 5_000;

  private final String name;
  private final Duration length;

  /** The bar, from the first call of {@link #advanced} until the end of the run. */
  private @Nullable Bar bar;

  private boolean ended;

  /**
   * Creates the progress of a run that is yet to start, on standard error.
   *
   * @param name the name of the run
   * @param length its duration
   */
  public TimedProgress(String name, Duration length) {
    this.name = name;
    this.length = length;
  }

  @Override
  public void advanced(Duration elapsed, String message) {
    long total = length.toMillis() / UNIT_MILLIS;
    if (bar == null && !ended) {
      ProgressBarBuilder builder =
          ProgressBar.builder()
              .setTaskName(name)
              .setInitialMax(total)
              .setUnit(" s", UNITS_PER_SECOND);
      bar = new Bar(LINE_MILLIS, builder);
    }
    if (bar != null) {
      bar.show(elapsed.toMillis() / UNIT_MILLIS, total, message);
    }
    if (elapsed.compareTo(length) >= 0) {
      close();
    }
  }

  @Override
  public void say(String line) {
    if (bar == null) {
      System.err.println(line);
    } else {
      bar.say(line);
    }
  }

  /** Removes the bar. Later lines follow it. */
  @Override
  public void close() {
    ended = true;
    if (bar != null) {
      bar.close();
      bar = null;
    }
  }
}
