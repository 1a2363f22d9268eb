package dev.purgatory.cli.text;

import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.DelegatingProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarConsumer;
import me.tongfei.progressbar.ProgressBarStyle;

/** A progress bar: it moves on a terminal; otherwise, it is printed as a line from time to time. */
public final class Bar implements AutoCloseable {
  private static final int TERMINAL_UPDATE_MILLIS = 200;
  private static final int LINE_LENGTH = 110;
  private static final String CLEAR_LINE = "\r\033[K";

  /** Whether standard error is a terminal: the launcher finds out. */
  private final boolean terminal = Boolean.getBoolean("purgatory.terminal");

  private final ProgressBar bar;

  /**
   * Shows a bar on standard error.
   *
   * @param lineMillis the time between two lines if it is not, in milliseconds
   * @param builder the configuration of the bar
   */
  public Bar(int lineMillis, ProgressBarBuilder builder) {
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
        ? new ConsoleProgressBarConsumer(System.err)
        : new DelegatingProgressBarConsumer(System.err::println, LINE_LENGTH);
  }

  /**
   * Moves the bar.
   *
   * @param done the completed amount
   * @param total the total amount
   * @param message a text beside the bar; may be empty
   */
  public void show(long done, long total, String message) {
    bar.maxHint(total);
    bar.stepTo(done);
    bar.setExtraMessage(message.isEmpty() ? "" : " " + message);
  }

  /** Prints an event on a separate line. */
  public void say(String event) {
    System.err.println((terminal ? CLEAR_LINE : "") + event);
  }

  @Override
  public void close() {
    bar.close();
  }
}
