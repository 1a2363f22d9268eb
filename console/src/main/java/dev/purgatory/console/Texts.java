package dev.purgatory.console;

import static java.util.Objects.requireNonNullElse;

import dev.purgatory.Diagnostics;
import dev.purgatory.base.ForeignText;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Turns the keys and requests of one sample into text. This is code of users, which may throw or be
 * slow: when all texts together have taken half a second, no more of it runs. Not thread-safe.
 */
final class Texts {
  private static final long MOST_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final int MOST_COMPARED = 1_000;
  private static final String LEFT_OUT = "(not shown: texts of keys are slow)";

  private long tookNanos;

  /** Returns the text to show. */
  String of(Object shown) {
    return requireNonNullElse(timed(() -> ForeignText.of(shown), MOST_NANOS), LEFT_OUT);
  }

  /** Returns why a request still waits. */
  String why(Diagnostics diagnostics, Object operation) {
    return requireNonNullElse(timed(() -> diagnostics.explain(operation), MOST_NANOS), LEFT_OUT);
  }

  /** Returns the text by which keys are compared; null if there is none, or it is long. */
  @Nullable String compared(Object key) {
    return timed(() -> whole(key), MOST_NANOS / 2); // leaves time for what is shown
  }

  private static @Nullable String whole(Object key) {
    try {
      String text =
          key.getClass().isArray() ? Arrays.deepToString(new Object[] {key}) : key.toString();
      return text == null || text.length() > MOST_COMPARED ? null : text;
    } catch (Throwable e) {
      return null; // two keys whose texts fail do not read the same
    }
  }

  private @Nullable String timed(Supplier<@Nullable String> text, long mostNanos) {
    if (tookNanos >= mostNanos) {
      return null;
    }
    long start = System.nanoTime();
    String found = text.get();
    tookNanos += System.nanoTime() - start;
    return found;
  }
}
