package dev.purgatory.benchmarks.timer;

/** A timer without a purgatory. */
public interface BareTimer extends AutoCloseable {

  /**
   * Adds a timeout that does nothing.
   *
   * @return a handle for {@link #cancel}
   */
  Object add(long millis);

  /** Cancels a timeout of this timer. */
  void cancel(Object added);

  @Override
  default void close() {}
}
