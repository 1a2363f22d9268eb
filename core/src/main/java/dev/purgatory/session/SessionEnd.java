package dev.purgatory.session;

import dev.purgatory.base.ForeignText;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The end of a session, for the listener of {@link Sessions}.
 *
 * @param key the key of the session
 * @param owner the owner of the session
 * @param reason why it ended
 * @param lastTouched the last touch, or the opening if there was none: nanoseconds on the clock of
 *     the timer
 * @param endedAt the end: nanoseconds on the clock of the timer
 * @param gap the last gap of the clock, if it ended after the last touch: then touches of a live
 *     client may have waited in a socket. Else null
 * @param <K> the type of the keys
 * @param <V> the type of the owners
 */
public record SessionEnd<K, V>(
    K key, V owner, Reason reason, long lastTouched, long endedAt, @Nullable ClockGap gap) {

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

  /** Describes the end for logs: the key, the owner, the reason, the idle time, and a gap. */
  @Override
  public String toString() {
    String after = gap == null ? "" : ", after " + gap;
    return "SessionEnd[%s of %s, %s, idle for %s%s]"
        .formatted(ForeignText.of(key), ForeignText.of(owner), reason, idle(), after);
  }
}
