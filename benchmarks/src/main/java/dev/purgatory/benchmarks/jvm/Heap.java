package dev.purgatory.benchmarks.jvm;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The heap of this JVM. */
public final class Heap {
  private static final int COLLECTIONS = 3;
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /** The time that background threads get to clean up. */
  private static final long TIDYING_MILLIS = 300;

  private Heap() {}

  /** Returns how many bytes more are in use than before, once all has ended; not less than 0. */
  public static double left(long before) throws InterruptedException {
    Thread.sleep(TIDYING_MILLIS);
    return Math.max(0, usedAfterCollection() - before);
  }

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
