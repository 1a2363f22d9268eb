package dev.purgatory.cli.demo;

import java.io.PrintStream;
import java.time.Duration;
import java.util.function.Supplier;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.DelegatingProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/**
 * Tells people how far a run has come: a moving bar on a terminal, a line every few seconds
 * anywhere else.
 */
public final class Progress implements AutoCloseable {
  private static final int UNITS_PER_SECOND = 10;
  private static final long PAUSE_MILLIS = 1_000 / UNITS_PER_SECOND;
  private static final int TERMINAL_UPDATE_MILLIS = 200;
  private static final int LINE_UPDATE_MILLIS = 5_000;
  private static final int LINE_LENGTH = 110;
  private static final String CLEAR_LINE = "\r\033[K";

  private final PrintStream out;
  private final boolean terminal;
  private final ProgressBar bar;
  private final long start = System.nanoTime();

  /**
   * Begins a stretch of time.
   *
   * @param out where to
   * @param terminal whether that is a terminal
   * @param name what goes on
   * @param length how long it takes
   */
  Progress(PrintStream out, boolean terminal, String name, Duration length) {
    this.out = out;
    this.terminal = terminal;
    ProgressBarBuilder builder =
        ProgressBar.builder()
            .setTaskName(name)
            .setInitialMax(length.toMillis() / PAUSE_MILLIS)
            .setUnit(" s", UNITS_PER_SECOND)
            .hideEta()
            .setStyle(ProgressBarStyle.ASCII);
    this.bar = terminal ? onTerminal(builder) : inLines(builder);
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

  /**
   * Waits until some of the time is over.
   *
   * @param end how much, from the beginning
   * @param message what to show beside the bar
   * @throws InterruptedException when the waiting thread is interrupted
   */
  void advanceTo(Duration end, Supplier<String> message) throws InterruptedException {
    Duration elapsed = elapsed();
    while (elapsed.compareTo(end) < 0) {
      bar.setExtraMessage(" " + message.get());
      bar.stepTo(elapsed.toMillis() / PAUSE_MILLIS);
      Thread.sleep(PAUSE_MILLIS);
      elapsed = elapsed();
    }
    bar.stepTo(end.toMillis() / PAUSE_MILLIS);
  }

  private Duration elapsed() {
    return Duration.ofNanos(System.nanoTime() - start);
  }

  /**
   * Says that something happened, on a line that stays.
   *
   * @param event what
   */
  void say(String event) {
    out.println((terminal ? CLEAR_LINE : "") + event);
  }

  @Override
  public void close() {
    bar.close();
  }
}
