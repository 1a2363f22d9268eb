package dev.purgatory.checker;

import java.util.function.Consumer;

/**
 * A step of a {@link Program}. Its text says what it does.
 *
 * @param <R> what it is performed on
 */
interface Step<R> {
  void by(R run);

  /** Returns a step that does the same with less. Returns this step if that is not possible. */
  default Step<R> smaller() {
    return this;
  }

  static <R> Step<R> of(String text, Consumer<R> body) {
    return new Step<>() {
      @Override
      public void by(R run) {
        body.accept(run);
      }

      @Override
      public String toString() {
        return text;
      }
    };
  }
}
