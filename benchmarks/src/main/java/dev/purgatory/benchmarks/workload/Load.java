package dev.purgatory.benchmarks.workload;

import java.time.Duration;
import org.HdrHistogram.Histogram;

/**
 * What a generator has done.
 *
 * @param requests how many were held
 * @param toComplete how many of them were to be completed before their timeout
 * @param length the time from the beginning to the last of them
 * @param lagNanos how far behind its time each was held
 */
public record Load(int requests, int toComplete, Duration length, Histogram lagNanos) {

  /** Nothing. */
  public static final Load NONE = new Load(0, 0, Duration.ZERO, new Histogram(2));

  /** Requests a second. */
  public double rate() {
    return requests * 1e9 / length.toNanos();
  }
}
