package dev.purgatory.cli.check;

import dev.purgatory.checker.Checker;
import dev.purgatory.cli.bench.BenchProgress;
import dev.purgatory.cli.text.Bar;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import me.tongfei.progressbar.ProgressBar;

/** Shows how many programs have run and the remaining time. */
public final class CheckProgress implements Checker.Progress, AutoCloseable {
  private static final int LINE_MILLIS = 10_000;
  private static final int UPDATE_EVERY = 100;

  private final long total;
  private final long start = System.nanoTime();
  private final AtomicLong done = new AtomicLong();
  private final Bar bar;

  /**
   * Shows the progress of a run on standard error.
   *
   * @param total the number of programs
   */
  public CheckProgress(long total) {
    this.total = total;
    this.bar =
        new Bar(LINE_MILLIS, ProgressBar.builder().setTaskName("check").setInitialMax(total));
  }

  @Override
  public void done(long seeds) {
    long now = done.addAndGet(seeds);
    if (now % UPDATE_EVERY == 0) {
      show(now);
    }
  }

  private synchronized void show(long now) {
    long left = (System.nanoTime() - start) / now * (total - now);
    bar.show(now, total, BenchProgress.time(Duration.ofNanos(left)) + " left");
  }

  @Override
  public void close() {
    bar.close();
  }
}
