package dev.purgatory.testkit;

import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Something that happened in {@link VirtualTime}. It does not keep the operation reachable.
 *
 * @param at the virtual time
 * @param source the name of the purgatory; {@code "timer"} or {@code "executor"} for an error of a
 *     task
 * @param kind what happened
 * @param operation the operation: {@code "#1"} is the first one that this {@link VirtualTime} met.
 *     Empty for an error of a task
 * @param detail more, for messages; may be empty
 * @param error why the operation failed or was refused, or what was thrown; null for other kinds
 */
public record Event(
    Duration at,
    String source,
    Kind kind,
    String operation,
    String detail,
    @Nullable Throwable error) {

  /** What happened. */
  public enum Kind {
    /** An operation was answered at once, without being held. */
    ANSWERED_AT_ONCE,
    /** An operation began to be held. */
    HELD,
    /** A held operation was completed. */
    COMPLETED,
    /** A held operation timed out. */
    TIMED_OUT,
    /** A held operation was cancelled. */
    CANCELLED,
    /** A held operation failed. */
    FAILED,
    /** A held operation ended because its purgatory was closed. */
    CLOSED,
    /** A purgatory refused an operation. */
    REFUSED,
    /** A callback, an executor, a listener or a task threw. */
    ERROR
  }

  /** Describes the event in one line, such as {@code 30s polls: #1 TIMED_OUT, held for 30s}. */
  @Override
  public String toString() {
    return text(at)
        + ' '
        + source
        + ": "
        + (operation.isEmpty() ? "" : operation + ' ')
        + kind
        + (detail.isEmpty() ? "" : ", " + detail)
        + (error == null ? "" : ": " + describe(error));
  }

  /** Returns a duration for messages, such as 1m30.5s. */
  static String text(Duration duration) {
    return duration.toString().substring("PT".length()).toLowerCase(Locale.ROOT);
  }

  /** Returns the text of an object of the user's, whose toString may throw or return null. */
  static String describe(Object object) {
    try {
      return "" + object;
    } catch (Throwable e) {
      return object.getClass().getName() + " (its toString threw " + e.getClass().getName() + ')';
    }
  }
}
