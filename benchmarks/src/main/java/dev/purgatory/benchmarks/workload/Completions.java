package dev.purgatory.benchmarks.workload;

import dev.purgatory.benchmarks.contender.Held;

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

  /** Waits until the last is completed. */
  void finish() throws InterruptedException;
}
