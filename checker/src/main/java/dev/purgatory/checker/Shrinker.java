package dev.purgatory.checker;

import java.util.function.Predicate;

/**
 * Reduces a program that fails, as long as it still fails.
 *
 * @param <P> the type of the program
 */
final class Shrinker<P extends Shrinkable<P>> {
  private final Predicate<P> fails;

  /**
   * Creates a shrinker.
   *
   * @param fails returns whether a program still shows the failure
   */
  Shrinker(Predicate<P> fails) {
    this.fails = fails;
  }

  /** Removes steps, many at a time and then one by one, and simplifies the rest. */
  P shrink(P program) {
    P small = program;
    for (int size = Math.max(1, program.length() / 2); size >= 1; size /= 2) {
      small = dropSteps(small, size);
    }
    for (int i = 0; i < small.parts(); i++) {
      small = simplify(small, i);
    }
    return dropSteps(small, 1);
  }

  private P dropSteps(P program, int size) {
    P small = program;
    for (int from = 0; from < small.length(); ) {
      P fewer = small.without(from, Math.min(from + size, small.length()));
      if (fails.test(fewer)) {
        small = fewer;
      } else {
        from += size;
      }
    }
    return small;
  }

  private P simplify(P program, int part) {
    P simpler = program.simplified(part);
    return fails.test(simpler) ? simpler : program;
  }
}
