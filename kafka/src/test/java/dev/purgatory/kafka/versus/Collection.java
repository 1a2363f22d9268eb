package dev.purgatory.kafka.versus;

import java.lang.ref.WeakReference;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** What garbage collection leaves. */
final class Collection {
  private static final int ATTEMPTS = 5;

  private Collection() {}

  /** Collects, several times if necessary, and returns how many referents are still reachable. */
  static <T> long countReachable(List<WeakReference<T>> references) {
    long reachable = references.size();
    for (int i = 0; i < ATTEMPTS && reachable > 0; i++) {
      System.gc();
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
      reachable = references.stream().filter(reference -> reference.get() != null).count();
    }
    return reachable;
  }

  /** Collects, and returns the bytes that the heap still holds. */
  static long usedBytes() {
    System.gc();
    Runtime heap = Runtime.getRuntime();
    return heap.totalMemory() - heap.freeMemory();
  }
}
