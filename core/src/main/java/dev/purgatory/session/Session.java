package dev.purgatory.session;

import org.jspecify.annotations.Nullable;

/**
 * A session, from {@link Sessions#open} until it expires, is closed or is taken over. After that,
 * this object refers neither to the key nor to the owner. Thread-safe.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the owners
 */
public interface Session<K, V> {

  /**
   * Keeps the session open, unless it has ended. Takes no lock and never waits.
   *
   * @return true if the session is open, and does not expire before its timeout has elapsed since
   *     this call; false if it has ended
   */
  boolean touch();

  /**
   * Ends the session, unless it has ended.
   *
   * @return true if this call ended it; false if it had ended before
   */
  boolean close();

  /**
   * Returns whether the session is open.
   *
   * @return false once it has ended
   */
  boolean isOpen();

  /**
   * Returns the time of the last touch, or of the opening if there was none. It stays available
   * when the session has ended.
   *
   * @return nanoseconds on the clock of the timer
   */
  long lastTouched();

  /**
   * Returns the key.
   *
   * @return the key; null when the session has ended
   */
  @Nullable K key();

  /**
   * Returns the owner.
   *
   * @return the owner; null when the session has ended
   */
  @Nullable V owner();
}
