package dev.purgatory.watch;

import java.util.function.Predicate;

/** The waiters on one key: a {@link WatchList}, or an exclusive {@link Waiter}. Thread-safe. */
public interface Waiters {

  /**
   * Calls the visitor, without a lock, with each waiter that waits when the walk begins and is not
   * cleared, in their order, until it has returned true so many times. Forwarders are not visited,
   * but collected.
   *
   * @param visitor what it returns is counted
   * @param most how many times it may return true
   * @return what was found
   */
  Walk walk(Predicate<Waiter> visitor, int most);

  /**
   * Walks like {@link #walk(Predicate, int)}, to the end.
   *
   * @param visitor what it returns is counted
   * @return what was found
   */
  default Walk walk(Predicate<Waiter> visitor) {
    return walk(visitor, Integer.MAX_VALUE);
  }
}
