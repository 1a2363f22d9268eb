package dev.purgatory.benchmarks.timer;

import java.util.concurrent.TimeUnit;
import org.agrona.DeadlineTimerWheel;

/**
 * Agrona's wheel with a tick of about 1 ms. It stores numbers instead of objects, in one array per
 * bucket that is searched for a free slot. Therefore it has many buckets.
 */
final class AgronaTimer implements BareTimer {
  private static final long TICK_NANOS = 1L << 20;
  private static final int BUCKETS = 1 << 16;

  private final DeadlineTimerWheel wheel =
      new DeadlineTimerWheel(TimeUnit.NANOSECONDS, System.nanoTime(), TICK_NANOS, BUCKETS);

  @Override
  public synchronized Object add(long millis) {
    return wheel.scheduleTimer(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis));
  }

  @Override
  public synchronized void cancel(Object added) {
    wheel.cancelTimer((Long) added);
  }
}
