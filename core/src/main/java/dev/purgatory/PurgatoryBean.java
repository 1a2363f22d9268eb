package dev.purgatory;

import static java.util.Objects.requireNonNull;

import dev.purgatory.base.LastResort;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.regex.Pattern;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.AttributeNotFoundException;
import javax.management.DynamicMBean;
import javax.management.InstanceAlreadyExistsException;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.ReflectionException;
import org.jspecify.annotations.Nullable;

/**
 * The MBean of a purgatory, which counts what happens as a listener. The only class that needs the
 * module {@code java.management}. Thread-safe.
 */
final class PurgatoryBean implements DynamicMBean, PurgatoryListener {

  /*
   * A snapshot calls adapters of the user, so no lock is held while one is taken. Two readers may take one
   * at the same time.
   *
   * The attributes are a table, of types that every console knows: a program that reads them needs no
   * class of the library.
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

  /** In the order in which consoles show them. */
  private final Map<String, Supplier<?>> attributes = new LinkedHashMap<>();

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
    attributes.put("Name", () -> name);
    attributes.put("Pending", () -> of(Core::pending));
    attributes.put("Unanswered", () -> of(shown -> shown.answers().unanswered()));
    attributes.put("Watched", () -> of(shown -> shown.keys().watched()));
    attributes.put("Keys", () -> of(shown -> shown.keys().keys()));
    attributes.put("Retained", () -> of(shown -> snapshot(shown).retained()));
    attributes.put("OldestMillis", () -> of(this::oldestMillis));
    attributes.put("NextDueMillis", () -> of(PurgatoryBean::nextDueMillis));
    attributes.put("LatenessMsP99", () -> late.percentile(99) / 1e6);
    attributes.put("Held", held::sum);
    attributes.put("AnsweredAtOnce", answeredAtOnce::sum);
    attributes.put("Completed", ended(Outcome.COMPLETED)::sum);
    attributes.put("TimedOut", ended(Outcome.TIMED_OUT)::sum);
    attributes.put("Cancelled", ended(Outcome.CANCELLED)::sum);
    attributes.put("Failed", ended(Outcome.FAILED)::sum);
    attributes.put("Closed", ended(Outcome.CLOSED)::sum);
    attributes.put("Refused", refused::sum);
    attributes.put("Errors", errors::sum);
  }

  /**
   * Registers the MBean of a purgatory that is about to be built.
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
          "another purgatory named " + name + " has an MBean: name them differently", e);
    } catch (JMException e) {
      throw new IllegalStateException("the MBean of " + name + " is refused", e);
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
      LastResort.handler("The MBean of " + name + " could not be removed").accept(e);
    }
  }

  static MBeanServer server() {
    return ManagementFactory.getPlatformMBeanServer();
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

  private PurgatorySnapshot<?> snapshot(Core<?> shown) {
    long now = shown.now();
    Taken recent = last;
    if (recent == null || now - recent.nanos >= SNAPSHOT_NANOS) {
      recent = new Taken(now, new Snapshots<>(shown).take(0));
      last = recent;
    }
    return recent.snapshot;
  }

  private long of(ToLongFunction<? super Core<?>> value) {
    Core<?> shown = core;
    return shown == null ? 0 : value.applyAsLong(shown);
  }

  private long oldestMillis(Core<?> shown) {
    Duration oldest = snapshot(shown).oldest();
    return oldest == null ? 0 : oldest.toMillis();
  }

  private static long nextDueMillis(Core<?> shown) {
    long due = shown.timer().nextDue();
    return due == Long.MAX_VALUE
        ? -1
        : TimeUnit.NANOSECONDS.toMillis(Math.max(0, due - shown.now()));
  }

  @Override
  public MBeanInfo getMBeanInfo() {
    MBeanAttributeInfo[] infos =
        attributes.entrySet().stream()
            .map(each -> info(each.getKey(), each.getValue().get().getClass()))
            .toArray(MBeanAttributeInfo[]::new);
    return new MBeanInfo("dev.purgatory.Purgatory", "A purgatory", infos, null, null, null);
  }

  private static MBeanAttributeInfo info(String attribute, Class<?> type) {
    return new MBeanAttributeInfo(attribute, type.getName(), attribute, true, false, false);
  }

  @Override
  public Object getAttribute(String attribute) throws AttributeNotFoundException {
    Supplier<?> value = attributes.get(attribute);
    if (value == null) {
      throw new AttributeNotFoundException(attribute);
    }
    return value.get();
  }

  @Override
  public AttributeList getAttributes(String[] names) {
    AttributeList found = new AttributeList();
    for (String each : names) {
      Supplier<?> value = attributes.get(each);
      if (value != null) {
        found.add(new Attribute(each, value.get()));
      }
    }
    return found;
  }

  @Override
  public void setAttribute(Attribute attribute) throws AttributeNotFoundException {
    throw new AttributeNotFoundException("nothing can be set");
  }

  @Override
  public AttributeList setAttributes(AttributeList list) {
    return new AttributeList();
  }

  @Override
  public Object invoke(String action, Object[] arguments, String[] signature)
      throws ReflectionException {
    throw new ReflectionException(new NoSuchMethodException(action));
  }
}
