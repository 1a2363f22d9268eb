package dev.purgatory.timer;

/**
 * A source of time: nanoseconds since an arbitrary origin, as {@link System#nanoTime()} gives them.
 *
 * <p>Only differences between readings mean something, so a reading may be negative and may wrap
 * around. A ticker may be read with a lock of a timer held: it must neither block nor call a timer.
 * Readings should not run backwards; while they do, a timer's clock stands still until they have
 * caught up.
 */
@FunctionalInterface
public interface Ticker {

  /**
   * Returns the time now.
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
