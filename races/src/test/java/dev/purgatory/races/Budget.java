package dev.purgatory.races;

import java.time.Duration;

/**
 * How long the tests of this module may take: {@code -Drace.budget}, in seconds, for all of them.
 */
final class Budget {
  private static final int IN_EACH_BUILD = 30;
  private static final Duration ALL =
      Duration.ofSeconds(Integer.getInteger("race.budget", IN_EACH_BUILD));

  private Budget() {}

  static Duration ofJcstress() {
    return ALL.multipliedBy(2).dividedBy(3);
  }

  /** How many times as long as in each build the tests may take, at least 1. */
  static int factor() {
    return (int) Math.max(1, ALL.toSeconds() / IN_EACH_BUILD);
  }
}
