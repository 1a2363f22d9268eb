package dev.purgatory.benchmarks.workload;

import java.util.concurrent.locks.LockSupport;

/** The time that a generator goes by. */
interface Pace {

  /** Now, in nanoseconds since an arbitrary origin. */
  long now();

  /**
   * Waits.
   *
   * @param time until when
   * @return the time by then, no earlier than that
   */
  long awaitTime(long time);

  /** The system's time. */
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
