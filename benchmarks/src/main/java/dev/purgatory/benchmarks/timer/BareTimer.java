package dev.purgatory.benchmarks.timer;

/** A timer by itself: nothing waits for events. */
public interface BareTimer extends AutoCloseable {

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
