package dev.purgatory.benchmarks.contender;

/** The scheduler of a {@link MapContender}. */
interface Timeouts extends AutoCloseable {

  /**
   * Starts a timeout.
   *
   * @return an action that cancels the timeout
   */
  Runnable start(Runnable task, long millis);

  @Override
  void close();
}
