package dev.purgatory.spring;

import dev.purgatory.Purgatory;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The age of the oldest request of a purgatory. To find it takes a visit of all entries. After one
 * that took over 10 ms, the next one comes after 99 times as long. Thread-safe.
 */
final class OldestRequest {
  private static final long SHORT_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final long REST_PER_VISIT = 99;

  private final Purgatory<?> purgatory;
  private final LongSupplier nanos;
  private final ReentrantLock lock = new ReentrantLock();
  private volatile @Nullable Duration age;
  private volatile boolean visited;

  /** Only with the lock. */
  private long restsUntil;

  OldestRequest(Purgatory<?> purgatory, LongSupplier nanos) {
    this.purgatory = purgatory;
    this.nanos = nanos;
  }

  /** Returns what the last visit has found: null if nothing was held. */
  @Nullable Duration age() {
    if (!visited) {
      lock.lock();
    } else if (!lock.tryLock()) {
      return age; // while another thread visits
    }
    try {
      long begin = nanos.getAsLong();
      if (!visited || begin - restsUntil >= 0) {
        age = purgatory.inspect().snapshot(0).oldest();
        visited = true;
        long end = nanos.getAsLong();
        long took = end - begin;
        restsUntil = end + (took > SHORT_NANOS ? REST_PER_VISIT * took : 0);
      }
      return age;
    } finally {
      lock.unlock();
    }
  }
}
