package dev.purgatory.benchmarks.contender;

import java.util.List;

/**
 * Holds requests until they are completed or their time is up. Its {@link Endings} are told once of
 * each request that has ended.
 */
public interface Contender extends AutoCloseable {

  /**
   * Holds a request.
   *
   * @param payload what is to be answered, not shared with another request
   * @param keys the events that it waits for, all different
   * @param timeoutMillis how long it may be held
   * @return the request, to complete it
   */
  Held hold(byte[] payload, List<Key> keys, long timeoutMillis);

  /**
   * Completes the requests on a key whose payload says by now that they can be answered.
   *
   * @return how many this call completed
   */
  int check(Key key);

  /** How many entries the watch lists have, with those of requests that have ended. */
  long watched();

  /** Whether it ends requests whose time is up. Only the floor does not. */
  default boolean keepsTime() {
    return true;
  }

  /** Ends its threads. What is still held may never end. */
  @Override
  void close();
}
