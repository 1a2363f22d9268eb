package dev.purgatory.base;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Logs errors that nobody else handles, at most ten in a second. An instance has the message that
 * describes the failure: made early, it needs no memory when that happens.
 */
public final class LastResort implements Consumer<Throwable> {
  private static final System.Logger LOG = System.getLogger("dev.purgatory");

  // Constants of this class, which a caller without memory need not load.
  private static final System.Logger.Level ERROR = System.Logger.Level.ERROR;
  private static final System.Logger.Level WARNING = System.Logger.Level.WARNING;

  private static final int MOST_PER_SECOND = 10;
  private static final long SECOND_NANOS = 1_000_000_000;

  private static final Object LOCK = new Object();
  private static long begin = System.nanoTime() - SECOND_NANOS;
  private static int logged;
  private static long skipped;

  private final String message;

  private LastResort(String message) {
    this.message = message;
  }

  /** Logs an error. Never throws. */
  @Override
  public void accept(Throwable error) {
    log(ERROR, message, error);
  }

  /**
   * Logs a warning in the same way.
   *
   * @param message what a user should know
   */
  public static void warn(String message) {
    log(WARNING, message, null);
  }

  private static void log(System.Logger.Level level, String message, @Nullable Throwable error) {
    try {
      long skippedBefore = admit(System.nanoTime());
      if (skippedBefore < 0) {
        return;
      }
      String suffix = skippedBefore == 0 ? "" : " (" + skippedBefore + " more were not logged)";
      LOG.log(level, message + suffix, error);
    } catch (Throwable e) {
      // The logger failed: nothing else is left to report to.
    }
  }

  /**
   * Returns a handler of exceptions. Create it early: without memory, the initialization of a class
   * fails for good, and even a literal may fail when it is used for the first time.
   *
   * @param message describes the failure
   * @return a handler that logs
   */
  public static LastResort handler(String message) {
    return new LastResort(message);
  }

  /** Returns how many errors were skipped since the last logged one, or -1 to skip this one. */
  private static long admit(long now) {
    synchronized (LOCK) {
      if (now - begin >= SECOND_NANOS) {
        begin = now;
        logged = 0;
      }
      if (logged == MOST_PER_SECOND) {
        skipped++;
        return -1;
      }
      logged++;
      long before = skipped;
      skipped = 0;
      return before;
    }
  }
}
