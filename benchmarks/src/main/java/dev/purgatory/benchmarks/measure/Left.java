package dev.purgatory.benchmarks.measure;

import dev.purgatory.benchmarks.jvm.Heap;

/** The heap that is left after everything has ended. */
final class Left {
  /** The time that background threads get to clean up. */
  private static final long TIDYING_MILLIS = 300;

  private Left() {}

  /** Returns how many bytes more are in use than before; not less than 0. */
  static double since(long before) throws InterruptedException {
    Thread.sleep(TIDYING_MILLIS);
    return Math.max(0, Heap.usedAfterCollection() - before);
  }
}
