package dev.purgatory.cli.soak.library;

import java.time.Duration;

/**
 * What a soak of the library does.
 *
 * @param length how long it takes, at least
 * @param phase how long bursts last, and steady load after them
 * @param sampling the time between two samples
 * @param burst the number of operations of a burst
 */
public record LibrarySoakPlan(Duration length, Duration phase, Duration sampling, int burst) {

  /** Returns the usual plan: bursts of 200,000 operations, in phases of five seconds. */
  public static LibrarySoakPlan usual(Duration length) {
    return new LibrarySoakPlan(length, Duration.ofSeconds(5), Duration.ofSeconds(1), 200_000);
  }
}
