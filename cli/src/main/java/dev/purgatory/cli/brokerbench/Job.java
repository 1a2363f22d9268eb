package dev.purgatory.cli.brokerbench;

import java.time.Duration;

/**
 * One load on a fresh cluster of one contender.
 *
 * @param load what is put on it
 * @param contender what it runs
 */
record Job(BrokerLoad load, Contender contender) {
  /** From the first process to the first request, and from the last one to the end. */
  private static final Duration AROUND = Duration.ofSeconds(9);

  private static final Duration HEAP = Duration.ofSeconds(5);

  /** For people. */
  String title() {
    return load.title() + ", " + contender.name();
  }

  /** About how long it takes. */
  Duration expected(Duration time) {
    return switch (load) {
      case POLLS, WRITES -> AROUND.plus(time.multipliedBy(2));
      case HELD -> AROUND.plus(HEAP).plus(contender.holds() ? time.multipliedBy(2) : Duration.ZERO);
    };
  }
}
