package dev.purgatory.cli.bench;

import dev.purgatory.benchmarks.Options;
import dev.purgatory.benchmarks.Progress;
import dev.purgatory.benchmarks.results.Results;
import dev.purgatory.benchmarks.run.Bench;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A benchmark in the current thread. Another thread can close it, which kills the forked JVM. */
public final class BenchRun implements AutoCloseable {
  private static final int PATIENCE_SECONDS = 5;

  private final Thread runner = Thread.currentThread();
  private final CountDownLatch ended = new CountDownLatch(1);

  /**
   * Runs the benchmark.
   *
   * @throws IOException if a JVM cannot be started
   * @throws InterruptedException if another thread closes this run
   */
  public Results run(Options options, Progress progress) throws IOException, InterruptedException {
    try {
      return Bench.run(options, progress);
    } finally {
      ended.countDown();
    }
  }

  /** Ends the run and its JVM if it is still in progress. */
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
        System.err.println("purgatory: a benchmark JVM may still be running");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
