package dev.purgatory.checker;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a callback does, the first time that it is called.
 *
 * @param actions what it does to the purgatory
 * @param failure what it throws then, if it does
 */
record Reaction(List<Action> actions, @Nullable Failure failure) {
  static final Reaction NONE = new Reaction(List.of(), null);

  /** What is thrown. */
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

  /** Throws any failure. */
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
