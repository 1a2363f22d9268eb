package dev.purgatory.benchmarks.feature;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Requests that wait until a number, which only grows, has reached a threshold. Thread-safe. */
public interface NumberWaiters extends AutoCloseable {

  /**
   * Waits for the number.
   *
   * @param threshold the least number to wait for
   * @return completes with the number, or with a {@link java.util.concurrent.TimeoutException};
   *     nothing of it is kept once it is done
   */
  CompletableFuture<Long> await(long threshold, Duration timeout);

  /**
   * Advances the number. Only one thread calls this at a time.
   *
   * @return the number of requests that this completed
   */
  int advance(long number);

  /** Returns the number of requests that wait. */
  long pending();

  @Override
  void close();
}
