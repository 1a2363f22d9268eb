package dev.purgatory.checker;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a callback does when it is called.
 *
 * @param actions the steps that it performs
 * @param failure what it throws after them; null for nothing
 */
record Reaction(List<Step<OperationRun>> actions, @Nullable Failure failure) {
  static final Reaction NONE = new Reaction(List.of(), null);

  /** A failure of a callback. */
  enum Failure {
    EXCEPTION,
    OUT_OF_MEMORY,
    STACK_OVERFLOW,
    ASSERTION,
    OTHER_ERROR;

    Throwable make() {
      return switch (this) {
        case EXCEPTION -> new IllegalStateException("provoked");
        case OUT_OF_MEMORY -> new OutOfMemoryError("provoked");
        case STACK_OVERFLOW -> new StackOverflowError("provoked");
        case ASSERTION -> new AssertionError("provoked");
        case OTHER_ERROR -> new Error("provoked");
      };
    }
  }

  boolean isNone() {
    return actions.isEmpty() && failure == null;
  }

  /** Throws an unchecked exception or an error. */
  static void raise(Throwable failure) {
    if (failure instanceof Error error) {
      throw error;
    }
    throw (RuntimeException) failure;
  }

  @Override
  public String toString() {
    return isNone() ? "-" : actions + (failure == null ? "" : " throws " + failure);
  }
}
