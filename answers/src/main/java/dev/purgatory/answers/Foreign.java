package dev.purgatory.answers;

import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/** Calls code of users, and the logger. */
final class Foreign {
  private static final System.Logger LOG = System.getLogger("dev.purgatory");

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
      boolean unused = Thread.interrupted();
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
}
