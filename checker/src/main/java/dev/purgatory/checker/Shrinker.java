package dev.purgatory.checker;

import java.util.function.Predicate;

/** Makes a program that fails smaller, as long as it still fails. */
final class Shrinker {
  private final Predicate<Program> fails;

  /**
   * Creates a shrinker.
   *
   * @param fails whether a program still shows what is looked for
   */
  Shrinker(Predicate<Program> fails) {
    this.fails = fails;
  }

  /** Drops steps, halves first and single ones last, and then what the operations do. */
  Program shrink(Program program) {
    Program small = program;
    for (int size = Math.max(1, program.steps().size() / 2); size >= 1; size /= 2) {
      small = dropSteps(small, size);
    }
    for (int i = 0; i < small.operations().size(); i++) {
      small = calm(small, i);
    }
    return dropSteps(small, 1);
  }

  private Program dropSteps(Program program, int size) {
    Program small = program;
    for (int from = 0; from < small.steps().size(); ) {
      Program fewer = small.without(from, Math.min(from + size, small.steps().size()));
      if (fails.test(fewer)) {
        small = fewer;
      } else {
        from += size;
      }
    }
    return small;
  }

  private Program calm(Program program, int index) {
    Program calmer = program.with(index, program.operations().get(index).calm());
    return fails.test(calmer) ? calmer : program;
  }
}
