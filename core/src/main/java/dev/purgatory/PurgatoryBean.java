package dev.purgatory;

import static java.util.Objects.requireNonNull;

import dev.purgatory.base.LastResort;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Pattern;
import javax.management.InstanceAlreadyExistsException;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;

/**
 * The MXBean of a purgatory, which counts what happens as a listener. The only class that needs the
 * module {@code java.management}. Thread-safe.
 */
final class PurgatoryBean implements PurgatoryMXBean, PurgatoryListener {

  /*
   * A snapshot calls adapters of the user, so no lock is held while one is taken. Two readers may take one
   * at the same time.
   */

  private static final long SNAPSHOT_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final Pattern PLAIN = Pattern.compile("[\\w.-]+");

  private final String name;
  private final boolean logs;
  private final ObjectName objectName;
  private final LongAdder held = new LongAdder();
  private final LongAdder answeredAtOnce = new LongAdder();
  private final LongAdder refused = new LongAdder();
  private final LongAdder errors = new LongAdder();
  private final Map<Outcome, LongAdder> ended = new EnumMap<>(Outcome.class);
  private final Histogram late = new Histogram();

  /** Null until the purgatory is built, while all counts are zero. */
  private volatile @Nullable Core<?> core;

  private volatile @Nullable Taken last;

  /** A snapshot, and when it was taken. */
  private record Taken(long nanos, PurgatorySnapshot<?> snapshot) {}

  private PurgatoryBean(String name, boolean logs) throws JMException {
    this.name = name;
    this.logs = logs;
    String quoted = PLAIN.matcher(name).matches() ? name : ObjectName.quote(name);
    objectName = new ObjectName("dev.purgatory:type=Purgatory,name=" + quoted);
    for (Outcome outcome : Outcome.values()) {
      ended.put(outcome, new LongAdder());
    }
  }

  /**
   * Registers the MXBean of a purgatory that is about to be built.
   *
   * @param logs whether there is no other listener
   * @throws IllegalStateException if the name is in use
   */
  static PurgatoryBean register(String name, boolean logs) {
    try {
      PurgatoryBean bean = new PurgatoryBean(name, logs);
      server().registerMBean(bean, bean.objectName);
      return bean;
    } catch (InstanceAlreadyExistsException e) {
      throw new IllegalStateException(
          "another purgatory named " + name + " has an MXBean: name them differently", e);
    } catch (JMException e) {
      throw new IllegalStateException("the MXBean of " + name + " is refused", e);
    }
  }

  /** Shows this purgatory, until it is closed. */
  void show(Core<?> built) {
    core = built;
    built.whenClosed(this::unregister);
  }

  void unregister() {
    try {
      server().unregisterMBean(objectName);
    } catch (InstanceNotFoundException e) {
      // Somebody else has removed it.
    } catch (Throwable e) {
      LastResort.log("The MXBean of " + name + " could not be removed", e);
    }
  }

  static MBeanServer server() {
    return ManagementFactory.getPlatformMBeanServer();
  }

  /** Only the lateness of timeouts needs times. */
  @Override
  public boolean measures(Outcome outcome) {
    return outcome == Outcome.TIMED_OUT;
  }

  @Override
  public void onHeld(Object operation) {
    held.increment();
  }

  @Override
  public void onAnsweredAtOnce(Object operation, Outcome outcome, @Nullable Throwable cause) {
    answeredAtOnce.increment();
  }

  @Override
  public void onEnded(
      Object operation,
      Outcome outcome,
      @Nullable Throwable cause,
      long heldNanos,
      long lateNanos) {
    ended(outcome).increment();
    if (outcome == Outcome.TIMED_OUT) {
      late.record(lateNanos);
    }
  }

  @Override
  public void onRefused(Object operation, RuntimeException reason) {
    refused.increment();
  }

  /** Logs the error only if there is no other listener, as without this bean. */
  @Override
  public void onError(Object operation, Source source, Throwable error) {
    errors.increment();
    if (logs) {
      PurgatoryListener.super.onError(operation, source, error);
    }
  }

  private LongAdder ended(Outcome outcome) {
    return requireNonNull(ended.get(outcome));
  }

  private @Nullable PurgatorySnapshot<?> snapshot() {
    Core<?> shown = core;
    if (shown == null) {
      return null;
    }
    long now = shown.now();
    Taken recent = last;
    if (recent == null || now - recent.nanos >= SNAPSHOT_NANOS) {
      recent = new Taken(now, new Snapshots<>(shown).take(0));
      last = recent;
    }
    return recent.snapshot;
  }

  @Override
  public String getName() {
    return name;
  }

  @Override
  public long getPending() {
    Core<?> shown = core;
    return shown == null ? 0 : shown.pending();
  }

  @Override
  public long getUnanswered() {
    Core<?> shown = core;
    return shown == null ? 0 : shown.answers().unanswered();
  }

  @Override
  public long getWatched() {
    Core<?> shown = core;
    return shown == null ? 0 : shown.keys().watched();
  }

  @Override
  public int getKeys() {
    Core<?> shown = core;
    return shown == null ? 0 : shown.keys().keys();
  }

  @Override
  public long getRetained() {
    PurgatorySnapshot<?> snapshot = snapshot();
    return snapshot == null ? 0 : snapshot.retained();
  }

  @Override
  public long getOldestMillis() {
    PurgatorySnapshot<?> snapshot = snapshot();
    Duration oldest = snapshot == null ? null : snapshot.oldest();
    return oldest == null ? 0 : oldest.toMillis();
  }

  @Override
  public long getNextDueMillis() {
    Core<?> shown = core;
    long due = shown == null ? Long.MAX_VALUE : shown.timer().nextDue();
    return shown == null || due == Long.MAX_VALUE
        ? -1
        : TimeUnit.NANOSECONDS.toMillis(Math.max(0, due - shown.now()));
  }

  @Override
  public double getLatenessMsP99() {
    return late.percentile(99) / 1e6;
  }

  @Override
  public long getHeld() {
    return held.sum();
  }

  @Override
  public long getAnsweredAtOnce() {
    return answeredAtOnce.sum();
  }

  @Override
  public long getCompleted() {
    return ended(Outcome.COMPLETED).sum();
  }

  @Override
  public long getTimedOut() {
    return ended(Outcome.TIMED_OUT).sum();
  }

  @Override
  public long getCancelled() {
    return ended(Outcome.CANCELLED).sum();
  }

  @Override
  public long getFailed() {
    return ended(Outcome.FAILED).sum();
  }

  @Override
  public long getClosed() {
    return ended(Outcome.CLOSED).sum();
  }

  @Override
  public long getRefused() {
    return refused.sum();
  }

  @Override
  public long getErrors() {
    return errors.sum();
  }
}
