package dev.purgatory.benchmarks.workload;

import dev.purgatory.benchmarks.contender.Held;
import org.HdrHistogram.Histogram;

/** Completes requests when their time has come. */
interface Completions {

  /** Begins. */
  void start();

  /**
   * Has a request completed.
   *
   * @param held the request
   * @param time when, as {@link System#nanoTime} counts
   */
  void add(Held held, long time);

  /** Waits while completions are so far behind that requests time out before they are completed. */
  void awaitCaughtUp();

  /**
   * How late completions were performed since the last call, in nanoseconds: the time from when a
   * completion was due to when it had been carried out. For any thread.
   */
  Histogram lagNanos();

  /** Waits until the last is completed. */
  void finish() throws InterruptedException;
}
