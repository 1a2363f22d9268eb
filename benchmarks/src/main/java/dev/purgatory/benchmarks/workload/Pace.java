package dev.purgatory.benchmarks.workload;

import java.util.concurrent.locks.LockSupport;

/** The clock of a generator. */
interface Pace {

  /** Returns the current time in nanoseconds, from an arbitrary origin. */
  long now();

  /**
   * Waits until a given time.
   *
   * @return the current time, which is not earlier
   */
  long awaitTime(long time);

  /** Returns the system clock. */
  static Pace real() {
    return new Pace() {
      @Override
      public long now() {
        return System.nanoTime();
      }

      @Override
      public long awaitTime(long time) {
        long now = System.nanoTime();
        while (now - time < 0) {
          LockSupport.parkNanos(time - now);
          now = System.nanoTime();
        }
        return now;
      }
    };
  }
}
