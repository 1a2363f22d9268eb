package dev.purgatory.kafka.versus;

import java.lang.ref.WeakReference;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Collects garbage and measures what remains. */
final class GarbageCollection {
  private static final int ATTEMPTS = 5;

  private GarbageCollection() {}

  /** Collects, repeatedly if necessary, and returns the number of referents still reachable. */
  static <T> long countReachable(List<WeakReference<T>> references) {
    long reachable = references.size();
    for (int i = 0; i < ATTEMPTS && reachable > 0; i++) {
      System.gc();
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
      reachable = references.stream().filter(reference -> reference.get() != null).count();
    }
    return reachable;
  }

  /** Collects and returns the used heap in bytes. */
  static long usedBytes() {
    System.gc();
    Runtime heap = Runtime.getRuntime();
    return heap.totalMemory() - heap.freeMemory();
  }
}
