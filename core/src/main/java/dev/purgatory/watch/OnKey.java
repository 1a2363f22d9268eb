package dev.purgatory.watch;

/**
 * The waiters on one key: a {@link WatchList}, or the only {@link Waiter} by itself. Thread-safe.
 */
public interface OnKey {

  /**
   * Returns whether nothing waits here, for good. Racy.
   *
   * @return once true, it stays true
   */
  boolean isRetired();
}
