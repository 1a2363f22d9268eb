package dev.purgatory.kafka;

import dev.purgatory.Outcome;
import dev.purgatory.Purgatory;
import dev.purgatory.PurgatoryListener;
import dev.purgatory.base.LastResort;
import dev.purgatory.timer.Timer;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Collects the statistics of a purgatory and publishes them through JMX. */
public final class PurgatoryStats implements PurgatoryListener, PurgatoryStatsMXBean {

  /*
   * This is on the event path. Reading the clock and recording a duration would take a tenth of the time
   * that an operation takes, so this is done for one completed operation of 16, at random. Timeouts are
   * rarer, and all measured.
   */

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
  private volatile @Nullable Purgatory<?> purgatory;
  private volatile @Nullable Timer timer;
  private volatile @Nullable Oldest last;

  /** How long the oldest operation had been held at a time of the timer. */
  private record Oldest(long nanos, long millis) {}

  /**
   * Creates empty statistics.
   *
   * @param purgatoryName for example Fetch
   * @param brokerId the ID of the broker
   */
  public PurgatoryStats(String purgatoryName, int brokerId) {
    objectName = "dev.purgatory:type=Purgatory,name=" + purgatoryName + ",broker=" + brokerId;
  }

  /**
   * Registers the statistics with JMX.
   *
   * @param observed the purgatory
   * @param clock its timer
   */
  public void register(Purgatory<?> observed, Timer clock) {
    purgatory = observed;
    timer = clock;
    MBeans.register(objectName, this);
  }

  /** Removes the statistics from JMX. */
  public void unregister() {
    MBeans.unregister(objectName);
  }

  @Override
  public void onHeld(Object operation) {
    held.increment();
  }

  @Override
  public boolean measures(Outcome outcome) {
    return outcome != Outcome.COMPLETED
        || (ThreadLocalRandom.current().nextInt() & (SAMPLE - 1)) == 0;
  }

  @Override
  public void onEnded(
      Object operation,
      Outcome outcome,
      @Nullable Throwable cause,
      long heldNanos,
      long lateNanos) {
    switch (outcome) {
      case COMPLETED -> {
        completed.increment();
        if (heldNanos >= 0) {
          completedMicros.record(heldNanos, SAMPLE);
        }
      }
      case TIMED_OUT -> {
        expiredMicros.record(heldNanos, 1);
        latenessMicros.record(lateNanos, 1);
      }
      case CANCELLED, FAILED, CLOSED -> cancelled.increment();
    }
  }

  @Override
  public void onError(Object operation, Source source, Throwable error) {
    errors.increment();
    try {
      LOG.error("A callback of {} failed", operation, error);
    } catch (Throwable e) { // else the operation would not remain held
      LastResort.log("A callback failed, and could not be logged", error);
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
    Purgatory<?> observed = purgatory;
    return observed == null ? 0 : observed.pending();
  }

  /** Two readers may visit the lists at the same time. */
  @Override
  public long getOldestMillis() {
    Purgatory<?> observed = purgatory;
    Timer clock = timer;
    if (observed == null || clock == null) {
      return 0;
    }
    long now = clock.now();
    Oldest recent = last;
    if (recent == null || now - recent.nanos >= OLDEST_NANOS) {
      Duration oldest = observed.snapshot(0).oldest();
      recent = new Oldest(now, oldest == null ? 0 : oldest.toMillis());
      last = recent;
    }
    return recent.millis;
  }

  @Override
  public long getNextDueMillis() {
    Timer clock = timer;
    long due = clock == null ? Long.MAX_VALUE : clock.nextDue();
    return clock == null || due == Long.MAX_VALUE
        ? -1
        : TimeUnit.NANOSECONDS.toMillis(Math.max(0, due - clock.now()));
  }

  @Override
  public long getWatched() {
    Purgatory<?> observed = purgatory;
    return observed == null ? 0 : observed.watched();
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
