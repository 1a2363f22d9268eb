package dev.purgatory.answers;

import java.lang.System.Logger.Level;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What comes from outside: code that is called, and text that is printed. */
final class Foreign {
  private static final System.Logger LOG = System.getLogger("dev.purgatory");
  private static final int MOST_CHARACTERS = 255;

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

  /** Returns printable ASCII characters of a bounded number, for a message. */
  static String quoted(String text) {
    StringBuilder quoted = new StringBuilder();
    text.chars()
        .limit(MOST_CHARACTERS)
        .forEach(
            c -> {
              if (c >= ' ' && c <= '~') {
                quoted.append((char) c);
              } else {
                quoted.append(String.format(Locale.ROOT, "\\u%04x", c));
              }
            });
    return text.length() <= MOST_CHARACTERS
        ? quoted.toString()
        : quoted + "... (" + text.length() + " characters)";
  }
}
