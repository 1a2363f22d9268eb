package dev.purgatory.benchmarks.measure;

/** A timer, without anything that waits for events. */
interface BareTimer extends AutoCloseable {

  /**
   * Adds a timeout that does nothing.
   *
   * @return what {@link #cancel} takes
   */
  Object add(long millis);

  /** Cancels a timeout that was added here. */
  void cancel(Object added);

  @Override
  default void close() {}
}
