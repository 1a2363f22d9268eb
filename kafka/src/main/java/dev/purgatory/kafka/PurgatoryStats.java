package dev.purgatory.kafka;

import dev.purgatory.Outcome;
import dev.purgatory.PurgatoryListener;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
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

  private final String objectName;
  private final LongAdder held = new LongAdder();
  private final LongAdder completed = new LongAdder();
  private final LongAdder cancelled = new LongAdder();
  private final LongAdder errors = new LongAdder();
  private final Micros completedMicros = new Micros();
  private final Micros expiredMicros = new Micros();
  private final Micros latenessMicros = new Micros();
  private volatile LongSupplier pending = () -> 0;
  private volatile LongSupplier watched = () -> 0;

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
   * @param pending returns the number of operations that are held now
   * @param watched returns the size of the watch lists
   */
  public void register(LongSupplier pending, LongSupplier watched) {
    this.pending = pending;
    this.watched = watched;
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
    LOG.error("A callback of {} failed", operation, error);
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
    return pending.getAsLong();
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
