package dev.purgatory.checker;

import java.util.List;
import java.util.function.Supplier;

/**
 * What a {@link Program} begins with: settings, and plans of what its steps may use.
 *
 * @param <R> the runs that begin with it
 */
interface Setup<R extends Run> {

  /** Begins a run. */
  R start(Tally tally);

  /** Returns the number of parts that can be simplified one by one. */
  default int parts() {
    return 0;
  }

  /** Returns the same setup with one part simplified. */
  default Setup<R> simplified(int part) {
    return this;
  }

  /**
   * Returns this setup as text, one part in each line.
   *
   * @param steps the steps of the program: what they do not use may be left out
   */
  default String listing(List<Step<R>> steps) {
    return this + "\n";
  }

  /** Returns a setup without settings. */
  static <R extends Run> Setup<R> of(String name, Supplier<R> start) {
    return new Setup<>() {
      @Override
      public R start(Tally tally) {
        return start.get();
      }

      @Override
      public String toString() {
        return name;
      }
    };
  }
}
