package dev.purgatory.benchmarks.feature;

import dev.purgatory.benchmarks.contender.Daemons;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A map of timestamps, which a thread sweeps. A session expires up to a sweep late; a touch while
 * the sweep removes it is lost, although it returns true.
 */
final class SweptSessions implements SessionTable {
  private static final int SWEEPS_PER_TIMEOUT = 10;

  private final ConcurrentMap<Long, AtomicLong> touched = new ConcurrentHashMap<>();
  private final ScheduledThreadPoolExecutor sweeper = Daemons.heap();

  private final long timeoutNanos;

  SweptSessions(Duration timeout) {
    timeoutNanos = timeout.toNanos();
    long pause = timeoutNanos / SWEEPS_PER_TIMEOUT;
    ScheduledFuture<?> unused =
        sweeper.scheduleWithFixedDelay(this::sweep, pause, pause, TimeUnit.NANOSECONDS);
  }

  private void sweep() {
    long expired = System.nanoTime() - timeoutNanos;
    touched.forEach(
        (id, time) -> {
          if (time.get() - expired < 0) {
            touched.remove(id, time);
          }
        });
  }

  @Override
  public void open(Long id) {
    touched.put(id, new AtomicLong(System.nanoTime()));
  }

  @Override
  public boolean touch(Long id) {
    AtomicLong time = touched.get(id);
    if (time == null) {
      return false;
    }
    time.lazySet(System.nanoTime());
    return true;
  }

  @Override
  public long size() {
    return touched.size();
  }

  @Override
  public void close() {
    sweeper.shutdownNow();
  }
}
