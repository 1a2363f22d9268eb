package dev.purgatory.checker;

/**
 * A program that a {@link Shrinker} can reduce.
 *
 * @param <P> the type of the program
 */
interface Shrinkable<P> {

  /** Returns the number of steps. */
  int length();

  /** Returns the same program without the steps from {@code from}, inclusive, to {@code to}. */
  P without(int from, int to);

  /** Returns the number of parts that can be simplified one by one. */
  int parts();

  /** Returns the same program with one part simplified. */
  P simplified(int part);
}
