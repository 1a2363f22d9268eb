package dev.purgatory.micrometer;

import dev.purgatory.Purgatory;
import dev.purgatory.PurgatorySnapshot;
import io.micrometer.core.instrument.Clock;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The last snapshot of a purgatory. Taking one visits all entries: so the next one is taken a
 * second later at the earliest, and snapshots take at most 1 % of the time. Thread-safe.
 */
final class RestingSnapshot {
  private static final long LEAST_REST_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long REST_PER_VISIT = 99;

  private final Clock clock;
  private final ReentrantLock lock = new ReentrantLock();
  private volatile @Nullable PurgatorySnapshot<?> last;

  /** Only with the lock. */
  private long restsUntil;

  RestingSnapshot(Clock clock) {
    this.clock = clock;
  }

  /** Waits only for the first snapshot; while another thread takes one, returns the last one. */
  PurgatorySnapshot<?> of(Purgatory<?> purgatory) {
    PurgatorySnapshot<?> known = last;
    if (known == null) {
      lock.lock();
    } else if (!lock.tryLock()) {
      return known;
    }
    try {
      known = last;
      long begin = clock.monotonicTime();
      if (known == null || begin - restsUntil >= 0) {
        known = purgatory.inspect().snapshot(0);
        last = known;
        long end = clock.monotonicTime();
        restsUntil = end + Math.max(LEAST_REST_NANOS, REST_PER_VISIT * (end - begin));
      }
      return known;
    } finally {
      lock.unlock();
    }
  }
}
