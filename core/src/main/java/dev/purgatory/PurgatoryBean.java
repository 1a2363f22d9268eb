package dev.purgatory;

import static java.util.Objects.requireNonNull;

import dev.purgatory.internal.LastResort;
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

  /** Null until the purgatory is built, while all counts are zero. */
  private volatile @Nullable Purgatory<?> purgatory;

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
   * Builds a purgatory with an MXBean, which is registered until the purgatory is closed.
   *
   * @throws IllegalStateException if the name is in use; then nothing was built
   */
  static <K> Purgatory<K> build(PurgatoryBuilder builder) {
    PurgatoryBean bean = register(builder);
    builder.listeners.add(bean);
    try {
      Purgatory<K> built = builder.create();
      bean.purgatory = built;
      built.whenClosed(bean::unregister);
      return built;
    } catch (Throwable e) {
      bean.unregister();
      throw e;
    } finally {
      builder.listeners.remove(bean);
    }
  }

  private static PurgatoryBean register(PurgatoryBuilder builder) {
    try {
      PurgatoryBean bean = new PurgatoryBean(builder.name, builder.listeners.isEmpty());
      server().registerMBean(bean, bean.objectName);
      return bean;
    } catch (InstanceAlreadyExistsException e) {
      throw new IllegalStateException(
          "another purgatory named " + builder.name + " has an MXBean: name them differently", e);
    } catch (JMException e) {
      throw new IllegalStateException("the MXBean of " + builder.name + " is refused", e);
    }
  }

  private void unregister() {
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

  /** Counts do not need times. */
  @Override
  public boolean measures(Outcome outcome) {
    return false;
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
    Purgatory<?> shown = purgatory;
    if (shown == null) {
      return null;
    }
    long now = shown.now();
    Taken recent = last;
    if (recent == null || now - recent.nanos >= SNAPSHOT_NANOS) {
      recent = new Taken(now, shown.snapshot(0));
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
    Purgatory<?> shown = purgatory;
    return shown == null ? 0 : shown.pending();
  }

  @Override
  public long getUnanswered() {
    Purgatory<?> shown = purgatory;
    return shown == null ? 0 : shown.unanswered();
  }

  @Override
  public long getWatched() {
    Purgatory<?> shown = purgatory;
    return shown == null ? 0 : shown.watched();
  }

  @Override
  public int getKeys() {
    Purgatory<?> shown = purgatory;
    return shown == null ? 0 : shown.keys();
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
