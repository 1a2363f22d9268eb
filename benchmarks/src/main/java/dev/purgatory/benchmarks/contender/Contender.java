package dev.purgatory.benchmarks.contender;

import java.util.List;

/**
 * Holds requests until they are completed or time out. Reports the end of each request once to its
 * {@link Endings}.
 */
public interface Contender extends AutoCloseable {

  /**
   * Holds a request.
   *
   * @param payload the data of the request, not shared with other requests
   * @param keys the distinct events that the request waits for
   * @param timeoutMillis how long the request may be held, in milliseconds
   * @return a handle to complete the request
   */
  Held hold(byte[] payload, List<Key> keys, long timeoutMillis);

  /**
   * Completes the requests on a key whose payload is marked as answerable.
   *
   * @return the number of requests that this call completed
   */
  int check(Key key);

  /** Returns the number of entries on watch lists, including those of requests that have ended. */
  long watched();

  /** Returns whether requests time out. Only those of the floor do not. */
  default boolean hasTimeouts() {
    return true;
  }

  /** Ends the contender's threads. Requests that are still held may never end. */
  @Override
  void close();
}
