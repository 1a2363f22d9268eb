package dev.purgatory.kafka;

import dev.purgatory.Outcome;
import dev.purgatory.PurgatoryListener;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts and measures what happens in a purgatory, and shows it by JMX. */
public final class PurgatoryStats implements PurgatoryListener, PurgatoryStatsMXBean {

  /*
   * An event path runs through here, so each answer records one duration and counts nothing besides:
   * how many there were is the size of the histogram. So completed and expired operations have one each.
   */

  private static final Logger LOG = LoggerFactory.getLogger(PurgatoryStats.class);

  private final String objectName;
  private final LongAdder held = new LongAdder();
  private final LongAdder cancelled = new LongAdder();
  private final LongAdder errors = new LongAdder();
  private final Micros completedMicros = new Micros();
  private final Micros expiredMicros = new Micros();
  private final Micros latenessMicros = new Micros();
  private volatile LongSupplier pending = () -> 0;
  private volatile LongSupplier watched = () -> 0;

  /**
   * Creates figures that are all zero.
   *
   * @param purgatoryName for example Fetch
   * @param brokerId the broker's
   */
  public PurgatoryStats(String purgatoryName, int brokerId) {
    objectName = "dev.purgatory:type=Purgatory,name=" + purgatoryName + ",broker=" + brokerId;
  }

  /**
   * Registers the figures with JMX.
   *
   * @param pending asked for what is held now
   * @param watched asked for the size of the watch lists
   */
  public void register(LongSupplier pending, LongSupplier watched) {
    this.pending = pending;
    this.watched = watched;
    MBeans.register(objectName, this);
  }

  /** Removes the figures from JMX. */
  public void unregister() {
    MBeans.unregister(objectName);
  }

  @Override
  public void onHeld(Object operation) {
    held.increment();
  }

  @Override
  public void onEnded(
      Object operation,
      Outcome outcome,
      @Nullable Throwable cause,
      long heldNanos,
      long lateNanos) {
    switch (outcome) {
      case COMPLETED -> completedMicros.record(heldNanos);
      case TIMED_OUT -> {
        expiredMicros.record(heldNanos);
        latenessMicros.record(lateNanos);
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
    return completedMicros.count();
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
