package dev.purgatory.benchmarks.soak;

import java.time.Duration;

/**
 * The settings of a soak of the library.
 *
 * @param length the minimum duration
 * @param phase the duration of a phase of bursts and of a phase of steady load
 * @param sampling the time between two samples
 * @param burst the number of operations per burst
 */
public record LibrarySoakPlan(Duration length, Duration phase, Duration sampling, int burst) {

  /** Returns the usual plan: bursts of 200,000 operations, in phases of five seconds. */
  public static LibrarySoakPlan usual(Duration length) {
    return new LibrarySoakPlan(length, Duration.ofSeconds(5), Duration.ofSeconds(1), 200_000);
  }
}
