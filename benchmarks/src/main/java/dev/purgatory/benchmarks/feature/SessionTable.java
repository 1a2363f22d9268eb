package dev.purgatory.benchmarks.feature;

import java.time.Duration;

/** Sessions that expire unless they are touched. Thread-safe. */
public interface SessionTable extends AutoCloseable {
  /** Starts a table. */
  @FunctionalInterface
  interface Start {
    /**
     * Starts a table.
     *
     * @param timeout the time from the last touch of a session to its end, some seconds at least
     */
    SessionTable start(Duration timeout);
  }

  /** Opens a session, by an id that no open session has. */
  void open(Long id);

  /**
   * Gives a session its whole timeout again.
   *
   * @return whether it is open
   */
  boolean touch(Long id);

  /** Returns the number of open sessions. */
  long size();

  @Override
  void close();
}
