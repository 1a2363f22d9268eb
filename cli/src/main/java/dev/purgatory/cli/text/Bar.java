package dev.purgatory.cli.text;

import java.io.PrintStream;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.DelegatingProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarConsumer;
import me.tongfei.progressbar.ProgressBarStyle;

/** A bar that moves on a terminal, and is a line now and then anywhere else. */
public final class Bar implements AutoCloseable {
  private static final int TERMINAL_UPDATE_MILLIS = 200;
  private static final int LINE_LENGTH = 110;
  private static final String CLEAR_LINE = "\r\033[K";

  private final PrintStream out;
  private final boolean terminal;
  private final ProgressBar bar;

  /**
   * Shows a bar.
   *
   * @param out where to
   * @param terminal whether that is a terminal
   * @param lineMillis how often there is a line where it is none
   * @param builder what the bar shows
   */
  public Bar(PrintStream out, boolean terminal, int lineMillis, ProgressBarBuilder builder) {
    this.out = out;
    this.terminal = terminal;
    this.bar =
        builder
            .hideEta()
            .setStyle(ProgressBarStyle.ASCII)
            .setUpdateIntervalMillis(terminal ? TERMINAL_UPDATE_MILLIS : lineMillis)
            .setConsumer(consumer())
            .build();
  }

  private ProgressBarConsumer consumer() {
    return terminal
        ? new ConsoleProgressBarConsumer(out)
        : new DelegatingProgressBarConsumer(out::println, LINE_LENGTH);
  }

  /**
   * Moves the bar.
   *
   * @param done how far
   * @param total of how much
   * @param message what to show beside it; empty for nothing
   */
  public void show(long done, long total, String message) {
    bar.maxHint(total);
    bar.stepTo(done);
    bar.setExtraMessage(message.isEmpty() ? "" : " " + message);
  }

  /** Says that something happened, on a line that stays. */
  public void say(String event) {
    out.println((terminal ? CLEAR_LINE : "") + event);
  }

  @Override
  public void close() {
    bar.close();
  }
}
