package dev.purgatory.cli.text;

import java.io.PrintStream;
import java.time.Duration;
import java.util.function.Supplier;
import me.tongfei.progressbar.ProgressBar;

/**
 * Shows the progress of a run that takes a known time: a moving bar on a terminal, otherwise a line
 * every few seconds.
 */
public final class TimedProgress implements AutoCloseable {
  private static final int UNITS_PER_SECOND = 10;
  private static final long PAUSE_MILLIS = 1_000 / UNITS_PER_SECOND;
  private static final int LINE_MILLIS = 5_000;

  private final Bar bar;
  private final long total;
  private final long start = System.nanoTime();

  /**
   * Starts the clock and shows the progress.
   *
   * @param out the stream to show the progress on
   * @param terminal whether {@code out} is a terminal
   * @param name the name of the run
   * @param length the duration of the run
   */
  public TimedProgress(PrintStream out, boolean terminal, String name, Duration length) {
    this.total = length.toMillis() / PAUSE_MILLIS;
    this.bar =
        new Bar(
            out,
            terminal,
            LINE_MILLIS,
            ProgressBar.builder()
                .setTaskName(name)
                .setInitialMax(total)
                .setUnit(" s", UNITS_PER_SECOND));
  }

  /**
   * Waits until a given time has passed since the start.
   *
   * @param end the time to wait for, since the start
   * @param message supplies the text beside the bar
   * @throws InterruptedException if the thread is interrupted while waiting
   */
  public void advanceTo(Duration end, Supplier<String> message) throws InterruptedException {
    Duration elapsed = elapsed();
    while (elapsed.compareTo(end) < 0) {
      bar.show(elapsed.toMillis() / PAUSE_MILLIS, total, message.get());
      Thread.sleep(PAUSE_MILLIS);
      elapsed = elapsed();
    }
    bar.show(end.toMillis() / PAUSE_MILLIS, total, message.get());
  }

  private Duration elapsed() {
    return Duration.ofNanos(System.nanoTime() - start);
  }

  /**
   * Prints an event on a separate line.
   *
   * @param event the event
   */
  public void say(String event) {
    bar.say(event);
  }

  @Override
  public void close() {
    bar.close();
  }
}
