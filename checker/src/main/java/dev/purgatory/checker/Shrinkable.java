package dev.purgatory.checker;

/**
 * A program that a {@link Shrinker} can make smaller.
 *
 * @param <P> the type of the program
 */
interface Shrinkable<P> {

  /** Returns the number of steps. */
  int length();

  /** Returns the same program without the steps from {@code from}, inclusive, to {@code to}. */
  P without(int from, int to);

  /** Returns the number of parts that can be made simpler one by one. */
  int parts();

  /** Returns the same program with one part made simpler. */
  P simplified(int part);
}
