package dev.purgatory.races;

import java.time.Duration;

/** The time for all tests of this module together: {@code -Drace.budget}, in seconds. */
final class Budget {
  private static final int DEFAULT = 30;
  private static final Duration ALL =
      Duration.ofSeconds(Integer.getInteger("race.budget", DEFAULT));

  private Budget() {}

  static Duration ofJcstress() {
    return ALL.multipliedBy(2).dividedBy(3);
  }

  /** Returns the budget in multiples of the default one, at least 1. */
  static int factor() {
    return (int) Math.max(1, ALL.toSeconds() / DEFAULT);
  }
}
