package dev.purgatory.cli.bench;

import dev.purgatory.benchmarks.Options;
import dev.purgatory.benchmarks.Progress;
import dev.purgatory.benchmarks.results.Results;
import dev.purgatory.benchmarks.run.Bench;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A benchmark in the thread that creates this. Closed from another thread, it leaves no JVM. */
public final class BenchRun implements AutoCloseable {
  private static final int PATIENCE_SECONDS = 5;

  private final Thread runner = Thread.currentThread();
  private final CountDownLatch ended = new CountDownLatch(1);

  /**
   * Runs it.
   *
   * @throws IOException if a JVM cannot be started
   * @throws InterruptedException if this is closed meanwhile
   */
  public Results run(Options options, Progress progress) throws IOException, InterruptedException {
    try {
      return Bench.run(options, progress);
    } finally {
      ended.countDown();
    }
  }

  /** Ends the run if it goes on still, with the JVM that measures. */
  @Override
  public void close() {
    if (ended.getCount() > 0) {
      runner.interrupt();
      awaitEnd();
    }
  }

  private void awaitEnd() {
    try {
      if (!ended.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        System.err.println("purgatory: a JVM that measures may still run");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
