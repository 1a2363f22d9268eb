package dev.purgatory.benchmarks.workload;

import java.time.Duration;
import org.HdrHistogram.Histogram;

/**
 * What a generator has done, or several at once.
 *
 * @param requests how many were held
 * @param toComplete how many of them were to be completed before their timeout
 * @param length the time from the beginning to the last of them
 * @param lagNanos how far behind its time each was held
 */
public record Load(int requests, int toComplete, Duration length, Histogram lagNanos) {

  /** Nothing. */
  public static final Load NONE = new Load(0, 0, Duration.ZERO, new Histogram(2));

  /** What two generators have done that began together. */
  Load plus(Load other) {
    Histogram lag = lagNanos.copy();
    lag.add(other.lagNanos);
    return new Load(
        requests + other.requests,
        toComplete + other.toComplete,
        length.compareTo(other.length) > 0 ? length : other.length,
        lag);
  }

  /** Requests a second. */
  public double rate() {
    return requests * 1e9 / length.toNanos();
  }
}
