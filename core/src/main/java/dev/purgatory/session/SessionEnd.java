package dev.purgatory.session;

import java.time.Duration;

/**
 * The end of a session, as the listener of {@link Sessions} is told.
 *
 * @param key the key of the session
 * @param owner the owner of the session
 * @param reason why it ended
 * @param lastTouched the last touch, or the opening if there was none: nanoseconds on the clock of
 *     the timer
 * @param endedAt the end: nanoseconds on the clock of the timer
 * @param <K> the type of the keys
 * @param <V> the type of the owners
 */
public record SessionEnd<K, V>(K key, V owner, Reason reason, long lastTouched, long endedAt) {

  /** Why a session has ended. */
  public enum Reason {
    /** It was not touched for its timeout. */
    EXPIRED,
    /** {@link Session#close} or {@link Sessions#close} was called. */
    CLOSED,
    /** Its key was opened again, for a new owner. */
    TAKEN_OVER
  }

  /**
   * Returns how long the session had not been touched when it ended.
   *
   * @return the time from the last touch to the end; zero or more
   */
  public Duration idle() {
    return Duration.ofNanos(
        Math.max(0, endedAt - lastTouched)); // a touch may be later than the end
  }

  /** Describes the end for logs: the key, the owner, the reason, and how long it was idle. */
  @Override
  public String toString() {
    return "SessionEnd[%s of %s, %s, idle for %s]".formatted(key, owner, reason, idle());
  }
}
