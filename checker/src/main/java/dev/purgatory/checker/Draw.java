package dev.purgatory.checker;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.IntFunction;

/** Draws what a {@link Program} consists of. The seed and the rates of faults determine it. */
final class Draw {
  private final SplittableRandom random;
  private final Map<Fault, Double> faults;

  Draw(long seed, Map<Fault, Double> faults) {
    random = new SplittableRandom(seed);
    this.faults = faults;
  }

  /** Returns whether a fault is injected. */
  boolean strikes(Fault fault) {
    return fraction() < faults.getOrDefault(fault, 0.0);
  }

  /** Returns a number from 0, inclusive, to {@code bound}. */
  int below(int bound) {
    return random.nextInt(bound);
  }

  /** Returns true in one of {@code n} cases. */
  boolean oneIn(int n) {
    return below(n) == 0;
  }

  boolean either() {
    return random.nextBoolean();
  }

  /** Returns a number from 0, inclusive, to 1. */
  double fraction() {
    return random.nextDouble();
  }

  /** Returns the seed of further draws. */
  long seed() {
    return random.nextLong();
  }

  <T> T from(T[] values) {
    return values[below(values.length)];
  }

  int from(int[] values) {
    return values[below(values.length)];
  }

  long from(long[] values) {
    return values[below(values.length)];
  }

  /** Returns numbers below a limit, each of them with a chance of one in {@code n}. */
  List<Integer> some(int limit, int n) {
    List<Integer> some = new ArrayList<>();
    for (int i = 0; i < limit; i++) {
      if (oneIn(n)) {
        some.add(i);
      }
    }
    return some;
  }

  /** Draws the elements of a list one after another. */
  static <T> List<T> list(int size, IntFunction<T> element) {
    List<T> list = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      list.add(element.apply(i));
    }
    return list;
  }
}
