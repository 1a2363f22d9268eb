package dev.purgatory.races;

import java.time.Duration;

/** The time for all tests of this module together: {@code -Drace.budget}, in seconds. */
final class Budget {
  private static final int DEFAULT = 20;
  private static final Duration ALL =
      Duration.ofSeconds(Integer.getInteger("race.budget", DEFAULT));

  private Budget() {}

  static Duration ofJcstress() {
    return ALL.multipliedBy(2).dividedBy(3);
  }

  /** Returns how many programs Lincheck tries in each test that takes so many seconds for one. */
  static int ofLincheck(int seconds) {
    return (int) Math.max(2, ALL.toSeconds() / seconds);
  }
}
