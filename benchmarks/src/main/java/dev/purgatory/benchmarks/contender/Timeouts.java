package dev.purgatory.benchmarks.contender;

/** What {@link MapContender} has its timeouts kept by. */
interface Timeouts extends AutoCloseable {

  /**
   * Starts a timeout.
   *
   * @return what cancels it
   */
  Runnable start(Runnable task, long millis);

  @Override
  void close();
}
