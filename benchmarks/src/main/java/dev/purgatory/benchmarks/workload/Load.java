package dev.purgatory.benchmarks.workload;

import java.time.Duration;
import org.HdrHistogram.Histogram;

/**
 * The requests that one or several generators have sent.
 *
 * @param requests the number of requests that were held
 * @param toComplete the number of requests that should be completed before their timeout
 * @param length the time from the start to the last request
 * @param lagNanos the time by which each request was late, in nanoseconds
 */
public record Load(int requests, int toComplete, Duration length, Histogram lagNanos) {

  /** A load without requests. */
  public static final Load NONE = new Load(0, 0, Duration.ZERO, new Histogram(2));

  /** Combines the loads of generators that started together. */
  Load plus(Load other) {
    Histogram lag = lagNanos.copy();
    lag.add(other.lagNanos);
    return new Load(
        requests + other.requests,
        toComplete + other.toComplete,
        length.compareTo(other.length) > 0 ? length : other.length,
        lag);
  }

  /** Returns the number of requests per second. */
  public double rate() {
    return requests * 1e9 / length.toNanos();
  }
}
