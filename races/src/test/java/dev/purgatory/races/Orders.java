package dev.purgatory.races;

import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.StressOptions;

/** Searches with Lincheck for results of concurrent calls that no sequential order explains. */
final class Orders {
  private Orders() {}

  /** Runs random programs on real threads. */
  static void stress(Class<?> concurrent, Class<?> sequential) {
    new StressOptions()
        .threads(2)
        .actorsPerThread(3)
        .iterations(Budget.ofLincheck(10))
        .invocationsPerIteration(400)
        .sequentialSpecification(sequential)
        .check(concurrent);
  }

  /** Runs random programs, and chooses where threads switch. */
  static void modelChecking(Class<?> concurrent, Class<?> sequential) {
    new ModelCheckingOptions()
        .threads(2)
        .actorsBefore(1)
        .actorsPerThread(2)
        .actorsAfter(1)
        .iterations(Budget.ofLincheck(5))
        .invocationsPerIteration(100)
        .sequentialSpecification(sequential)
        .check(concurrent);
  }
}
