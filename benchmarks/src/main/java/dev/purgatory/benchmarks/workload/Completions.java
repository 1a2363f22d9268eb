package dev.purgatory.benchmarks.workload;

import dev.purgatory.benchmarks.contender.Held;
import org.HdrHistogram.Histogram;

/** Completes requests at scheduled times. */
interface Completions {

  /** Starts completing requests. */
  void start();

  /**
   * Schedules the completion of a request.
   *
   * @param held the request
   * @param time the time of the completion, by {@link System#nanoTime}
   */
  void add(Held held, long time);

  /** Waits while completions are so late that requests would time out before they are completed. */
  void awaitCaughtUp();

  /**
   * Returns the lag of the completions since the last call, in nanoseconds: the time from when a
   * completion was due to when it was done. May be called by any thread.
   */
  Histogram lagNanos();

  /** Waits until the last request is completed. */
  void finish() throws InterruptedException;
}
