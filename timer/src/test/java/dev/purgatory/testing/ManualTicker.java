package dev.purgatory.testing;

import dev.purgatory.timer.Ticker;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** A ticker whose time changes only when a test changes it. It counts its reads. */
public final class ManualTicker implements Ticker {
  private final AtomicLong nanos;
  private final AtomicLong reads = new AtomicLong();

  public ManualTicker() {
    this(0);
  }

  public ManualTicker(long origin) {
    nanos = new AtomicLong(origin);
  }

  @Override
  public long nanos() {
    reads.incrementAndGet();
    return nanos.get();
  }

  /** Advances the time, or moves it back if negative; overflows as System.nanoTime() does. */
  public void advance(long byNanos) {
    nanos.addAndGet(byNanos);
  }

  public void advance(Duration by) {
    advance(by.toNanos());
  }

  public long reads() {
    return reads.get();
  }
}
