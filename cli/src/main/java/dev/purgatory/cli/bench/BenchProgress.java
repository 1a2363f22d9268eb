package dev.purgatory.cli.bench;

import dev.purgatory.benchmarks.Progress;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.DelegatingProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/**
 * Tells people how far a benchmark has come and how long the rest takes: a moving bar on a
 * terminal, a line now and then anywhere else.
 */
public final class BenchProgress implements Progress, AutoCloseable {
  private static final int TERMINAL_UPDATE_MILLIS = 200;
  private static final int LINE_UPDATE_MILLIS = 10_000;
  private static final int LINE_LENGTH = 110;
  private static final String CLEAR_LINE = "\r\033[K";

  private final PrintStream out;
  private final boolean terminal;
  private final ProgressBar bar;

  private BenchProgress(PrintStream out, boolean terminal) {
    this.out = out;
    this.terminal = terminal;
    ProgressBarBuilder builder =
        ProgressBar.builder()
            .setTaskName("bench")
            .setInitialMax(1)
            .hideEta()
            .setStyle(ProgressBarStyle.ASCII);
    this.bar = terminal ? onTerminal(builder) : inLines(builder);
  }

  /**
   * Begins a run, on standard error.
   *
   * @param terminal whether that is a terminal
   */
  public static BenchProgress begin(boolean terminal) {
    return new BenchProgress(System.err, terminal);
  }

  private ProgressBar onTerminal(ProgressBarBuilder builder) {
    return builder
        .setUpdateIntervalMillis(TERMINAL_UPDATE_MILLIS)
        .setConsumer(new ConsoleProgressBarConsumer(out))
        .build();
  }

  private ProgressBar inLines(ProgressBarBuilder builder) {
    return builder
        .setUpdateIntervalMillis(LINE_UPDATE_MILLIS)
        .setConsumer(new DelegatingProgressBarConsumer(out::println, LINE_LENGTH))
        .build();
  }

  @Override
  public void advanced(int done, int total, String current, Duration left) {
    bar.maxHint(total);
    bar.stepTo(done);
    bar.setExtraMessage(current.isEmpty() ? "" : " " + time(left) + " left, " + current);
  }

  @Override
  public void note(String text) {
    out.println((terminal ? CLEAR_LINE : "") + text);
  }

  @Override
  public void close() {
    bar.close();
  }

  /** As minutes and seconds, or hours and minutes where it is long. */
  static String time(Duration left) {
    if (left.toHours() > 0) {
      return String.format(Locale.ROOT, "%d h %d min", left.toHours(), left.toMinutesPart());
    }
    return left.toMinutes() > 0
        ? String.format(Locale.ROOT, "%d min %d s", left.toMinutes(), left.toSecondsPart())
        : left.toSeconds() + " s";
  }
}
