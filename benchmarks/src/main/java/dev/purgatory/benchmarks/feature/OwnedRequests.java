package dev.purgatory.benchmarks.feature;

import java.time.Duration;

/** Requests, each on its own key, that are cancelled with their owner, such as a connection. */
public interface OwnedRequests extends AutoCloseable {

  /**
   * Holds a request. Only one thread calls this for an owner at a time.
   *
   * @param owner the owner
   * @param key the key that it waits on
   */
  void hold(Integer owner, Long key, Duration timeout);

  /**
   * Cancels all requests of an owner, and frees them.
   *
   * @return their number
   */
  int cancel(Integer owner);

  /** Returns the number of requests that are held. */
  long pending();

  @Override
  void close();
}
