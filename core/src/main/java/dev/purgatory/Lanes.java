package dev.purgatory;

import dev.purgatory.threads.Helpers;
import dev.purgatory.threads.Lane;
import dev.purgatory.timer.Ticker;

/** The lanes of a purgatory: which of its tasks wait for which on the threads of its timer. */
final class Lanes {
  private static final int MOST = 16;
  private static final int MOST_RECHECKS = 4;

  /** Expires operations, and answers them. */
  final Lane expirations;

  /** Evaluates operations periodically. */
  final Lane rechecks;

  /** Goes on with calls that are nested too deep or take too long on the thread of an event. */
  final Lane helpers;

  /** Purges the watch lists. */
  final Lane purges;

  Lanes(String purgatory, Helpers threads) {
    String prefix = "purgatory-" + purgatory + "-";
    expirations = threads.lane(prefix + "expiration", MOST);
    rechecks = threads.lane(prefix + "recheck", MOST_RECHECKS);
    helpers = threads.lane(prefix + "helper", MOST);
    helpers.hurry(); // its tasks need not wait for each other
    purges = threads.lane(prefix + "purge", 1);
  }

  /**
   * Waits until no task waits or runs.
   *
   * @param end when the wait ends at the latest, on the system's ticker
   * @return whether no task waits or runs
   */
  boolean await(long end) {
    boolean idle = true;
    for (Lane lane : new Lane[] {expirations, rechecks, helpers, purges}) {
      idle &= lane.await(end - Ticker.system().nanos());
    }
    return idle;
  }

  /** Has expirations run on the threads that ask for them, so that none begins unnoticed. */
  void closeExpirations() {
    expirations.close();
    rechecks.close();
  }

  /** Has further tasks run on the threads that add them: the purgatory is closed. */
  void close() {
    helpers.close();
    purges.close();
  }

  /** Runs the waiting tasks on as many threads as may run at a time. */
  void hurry() {
    expirations.hurry();
    rechecks.hurry();
  }
}
