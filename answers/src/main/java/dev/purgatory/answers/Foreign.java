package dev.purgatory.answers;

import java.lang.System.Logger.Level;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Calls code of users, and the logger. */
final class Foreign {
  private static final System.Logger LOG = System.getLogger("dev.purgatory");
  private static final long WARN_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** When each warning was logged last. */
  private static final Map<String, Long> WARNED = new ConcurrentHashMap<>();

  private Foreign() {}

  /**
   * Calls code, such as the dependents of a future. It sees no interrupt of an earlier call, and
   * leaves none to later ones.
   */
  static void call(Runnable code) {
    boolean interrupted = Thread.interrupted();
    try {
      code.run();
    } finally {
      Thread.interrupted();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Logs a message, and never throws: the caller's thread goes on without memory or a logger. */
  static void log(Level level, String message, @Nullable Throwable cause) {
    try {
      LOG.log(level, message, cause);
    } catch (Throwable e) {
      // There is no other place to report it.
    }
  }

  /** Logs a warning, each message once a minute, and never throws. */
  static void warn(String message, @Nullable Throwable cause) {
    try {
      long now = System.nanoTime();
      Long last = WARNED.get(message);
      if (last == null || now - last >= WARN_NANOS) { // racy: it may be logged twice
        WARNED.put(message, now);
        LOG.log(Level.WARNING, message, cause);
      }
    } catch (Throwable e) {
      // As above.
    }
  }
}
