package dev.purgatory.benchmarks.timer;

/** A timer without a purgatory. */
public interface BareTimer extends AutoCloseable {

  /**
   * Adds a timeout that does nothing.
   *
   * @return a handle for {@link #cancel}
   */
  Object add(long millis);

  /**
   * Schedules a task.
   *
   * @throws UnsupportedOperationException if no thread drives the clock of this timer
   */
  default void schedule(long nanos, Runnable task) {
    throw new UnsupportedOperationException("no thread runs tasks");
  }

  /** Cancels a timeout of this timer. */
  void cancel(Object added);

  @Override
  default void close() {}
}
