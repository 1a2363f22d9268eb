package dev.purgatory.base;

import org.jspecify.annotations.Nullable;

/** Logs errors that nobody else handles. Of a burst of errors it logs only some. */
public final class LastResort {
  private static final System.Logger LOG = System.getLogger("dev.purgatory");
  private static final int MOST_PER_SECOND = 10;
  private static final long SECOND_NANOS = 1_000_000_000;

  private static final Object LOCK = new Object();
  private static long begin = System.nanoTime() - SECOND_NANOS;
  private static int logged;
  private static long skipped;

  private LastResort() {}

  /**
   * Logs an error, unless ten were logged in this second. Never throws.
   *
   * @param message describes the failure
   * @param error the exception
   */
  public static void log(String message, Throwable error) {
    log(System.Logger.Level.ERROR, message, error);
  }

  /**
   * Logs a warning in the same way.
   *
   * @param message what a user should know
   */
  public static void warn(String message) {
    log(System.Logger.Level.WARNING, message, null);
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
   * Returns a handler for exceptions that end a thread. Create it early: without memory, the
   * initialization of a class fails for good.
   *
   * @param message describes the failure
   * @return a handler that logs
   */
  public static Thread.UncaughtExceptionHandler handler(String message) {
    return (thread, error) -> log(message, error);
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
