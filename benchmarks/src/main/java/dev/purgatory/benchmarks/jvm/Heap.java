package dev.purgatory.benchmarks.jvm;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The heap of this JVM. */
public final class Heap {
  private static final int COLLECTIONS = 3;
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private Heap() {}

  /** Collects garbage and returns the number of bytes in use. */
  public static long usedAfterCollection() {
    for (int i = 0; i < COLLECTIONS; i++) {
      System.gc();
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }
}
