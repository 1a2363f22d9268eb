package dev.purgatory.races;

import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.StressOptions;

/** Has Lincheck look for calls of several threads that no order of them explains. */
final class Orders {
  private Orders() {}

  /** By real threads. */
  static void stress(Class<?> concurrent, Class<?> sequential) {
    new StressOptions()
        .threads(2)
        .actorsPerThread(3)
        .iterations(10 * Budget.factor())
        .invocationsPerIteration(400)
        .sequentialSpecification(sequential)
        .check(concurrent);
  }

  /** By switching between threads at chosen places, one after another. */
  static void modelChecking(Class<?> concurrent, Class<?> sequential) {
    new ModelCheckingOptions()
        .threads(2)
        .actorsBefore(1)
        .actorsPerThread(2)
        .actorsAfter(1)
        .iterations(20 * Budget.factor())
        .invocationsPerIteration(100)
        .sequentialSpecification(sequential)
        .check(concurrent);
  }
}
