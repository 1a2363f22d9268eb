package dev.purgatory.kafka;

import dev.purgatory.base.LastResort;
import dev.purgatory.wheel.WheelTimer;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Collects the statistics of a purgatory and publishes them through JMX. */
public final class PurgatoryStats implements PurgatoryStatsMXBean {

  /*
   * This is on the event path. Reading the clock and recording a duration would take a tenth of the time
   * that an operation takes, so this is done for one completed operation of 16, at random. Timeouts are
   * rarer, and all measured.
   */

  private static final LastResort NOT_LOGGED =
      LastResort.handler("A callback failed, and could not be logged");

  private static final Logger LOG = LoggerFactory.getLogger(PurgatoryStats.class);

  /** One completed operation of this many is measured; a power of two. */
  private static final int SAMPLE = 16;

  private static final long OLDEST_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final String objectName;
  private final LongAdder held = new LongAdder();
  private final LongAdder completed = new LongAdder();
  private final LongAdder cancelled = new LongAdder();
  private final LongAdder errors = new LongAdder();
  private final Micros completedMicros = new Micros();
  private final Micros expiredMicros = new Micros();
  private final Micros latenessMicros = new Micros();
  private final WheelTimer clock;
  private final LongSupplier watched;
  private final LongSupplier oldest;
  private volatile @Nullable Oldest last;

  /** How long the oldest operation had been held at a time of the timer. */
  private record Oldest(long nanos, long millis) {}

  /**
   * Creates empty statistics.
   *
   * @param purgatoryName for example Fetch
   * @param brokerId the ID of the broker
   * @param clock the clock of the purgatory
   * @param watched returns the size of all watch lists
   * @param oldest returns how long the oldest operation has been held, in nanoseconds
   */
  public PurgatoryStats(
      String purgatoryName,
      int brokerId,
      WheelTimer clock,
      LongSupplier watched,
      LongSupplier oldest) {
    this.clock = clock;
    this.watched = watched;
    this.oldest = oldest;
    objectName = "dev.purgatory:type=Purgatory,name=" + purgatoryName + ",broker=" + brokerId;
  }

  /** Registers the statistics with JMX. */
  public void register() {
    MBeans.register(objectName, this);
  }

  /** Removes the statistics from JMX. */
  public void unregister() {
    MBeans.unregister(objectName);
  }

  /** Counts an operation that is held. */
  public void held() {
    held.increment();
  }

  /**
   * Counts an operation that was completed.
   *
   * @return whether to measure how long it was held
   */
  public boolean completed() {
    completed.increment();
    return (ThreadLocalRandom.current().nextInt() & (SAMPLE - 1)) == 0;
  }

  /**
   * Records how long an operation was held that was completed.
   *
   * @param heldNanos the time
   */
  public void measured(long heldNanos) {
    completedMicros.record(heldNanos, SAMPLE);
  }

  /**
   * Counts an operation that timed out.
   *
   * @param heldNanos how long it was held
   * @param lateNanos the time since its deadline
   */
  public void expired(long heldNanos, long lateNanos) {
    expiredMicros.record(heldNanos, 1);
    latenessMicros.record(lateNanos, 1);
  }

  /** Counts an operation that is no longer held, and was not completed. */
  public void cancelled() {
    cancelled.increment();
  }

  /**
   * Counts and logs a failed callback.
   *
   * @param operation whose callback
   * @param error what it threw
   */
  public void failed(Object operation, Throwable error) {
    errors.increment();
    try {
      LOG.error("A callback of {} failed", operation, error);
    } catch (Throwable e) { // else the operation would not remain held
      NOT_LOGGED.accept(error);
    }
  }

  @Override
  public long getHeld() {
    return held.sum();
  }

  @Override
  public long getCompleted() {
    return completed.sum();
  }

  @Override
  public long getExpired() {
    return expiredMicros.count();
  }

  @Override
  public long getCancelled() {
    return cancelled.sum();
  }

  @Override
  public long getPending() {
    long gone = getCompleted() + getExpired() + getCancelled(); // first: so it is never too small
    return Math.max(0, getHeld() - gone);
  }

  /** Two readers may visit the lists at the same time. */
  @Override
  public long getOldestMillis() {
    long now = clock.now();
    Oldest recent = last;
    if (recent == null || now - recent.nanos >= OLDEST_NANOS) {
      recent = new Oldest(now, TimeUnit.NANOSECONDS.toMillis(oldest.getAsLong()));
      last = recent;
    }
    return recent.millis;
  }

  @Override
  public long getNextDueMillis() {
    long due = clock.nextDue();
    return due == Long.MAX_VALUE
        ? -1
        : TimeUnit.NANOSECONDS.toMillis(Math.max(0, due - clock.now()));
  }

  @Override
  public long getWatched() {
    return watched.getAsLong();
  }

  @Override
  public long getErrors() {
    return errors.sum();
  }

  @Override
  public double getHeldMsP50() {
    return heldMicros().millisAt(50);
  }

  @Override
  public double getHeldMsP99() {
    return heldMicros().millisAt(99);
  }

  @Override
  public double getLatenessMsP50() {
    return latenessMicros.millisAt(50);
  }

  @Override
  public double getLatenessMsP99() {
    return latenessMicros.millisAt(99);
  }

  @Override
  public String getHeldMicrosHistogram() {
    return heldMicros().encoded();
  }

  @Override
  public String getLatenessMicrosHistogram() {
    return latenessMicros.encoded();
  }

  private Micros heldMicros() {
    return completedMicros.plus(expiredMicros);
  }
}
