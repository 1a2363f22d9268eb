package dev.purgatory.timer;

/**
 * A source of time: nanoseconds since an arbitrary origin, as {@link System#nanoTime()} gives them.
 *
 * <p>Only differences between readings are meaningful: a reading may be negative and may wrap
 * around. A ticker may be read with a lock of a timer held, so it must not block or call a timer.
 * If readings run backwards, a timer's clock stands still until they have caught up.
 */
@FunctionalInterface
public interface Ticker {

  /**
   * Returns the current time.
   *
   * @return nanoseconds since an arbitrary origin
   */
  long nanos();

  /**
   * Returns the ticker that reads {@link System#nanoTime()}.
   *
   * @return the system's ticker
   */
  static Ticker system() {
    return System::nanoTime;
  }
}
