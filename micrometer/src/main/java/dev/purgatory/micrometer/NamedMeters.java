package dev.purgatory.micrometer;

import dev.purgatory.Purgatory;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The meters of one purgatory in a registry, under a name that no other has. Thread-safe. */
final class NamedMeters {

  /*
   * Micrometer returns the meter of another purgatory if a name is used twice, and ignores the second gauge. A
   * registry cannot be asked whether a name is taken: filters may rename or drop any meter. So the names
   * are kept here, per registry, which the map refers to weakly. Its values refer to no registry: they know
   * meters by their ids only.
   *
   * A name is free again when its meters were removed. Before a name is taken, the meters of owners that were
   * collected are removed.
   *
   * Filters may also give two purgatories the same meter. It is removed with the last of them.
   *
   * The lock is held for these maps only. Registries call code of the user when a meter is added or removed.
   */

  /** Also the lock. */
  private static final Map<MeterRegistry, Map<String, Use>> NAMES = new WeakHashMap<>();

  /** A name in use. Guarded by the lock. */
  private static final class Use {
    final WeakReference<Object> owner;
    WeakReference<@Nullable Object> purgatory = new WeakReference<>(null);
    final Set<Meter.Id> meters = new HashSet<>();
    boolean closed;

    Use(Object owner) {
      this.owner = new WeakReference<>(owner);
    }
  }

  private final MeterRegistry registry;
  private final String name;
  private final boolean isKnown;
  private final Use use;

  /**
   * Takes a name: the wanted one or, if that is taken, with the lowest free number from 2 on. Takes
   * none for a purgatory that has meters in the registry already: then this has their name.
   *
   * @param owner a purgatory, or its metrics. The name is in use while this is reachable
   */
  NamedMeters(MeterRegistry registry, String wanted, Object owner) {
    this.registry = registry;
    use = new Use(owner);
    closeAll(each -> each.owner.refersTo(null));
    synchronized (NAMES) {
      Map<String, Use> names = NAMES.computeIfAbsent(registry, unused -> new HashMap<>());
      String known = nameOf(owner, names);
      isKnown = known != null;
      name = known != null ? known : firstFree(wanted, names);
      if (!isKnown) {
        names.put(name, use);
      }
    }
  }

  private static @Nullable String nameOf(Object owner, Map<String, Use> names) {
    for (Map.Entry<String, Use> each : names.entrySet()) {
      Use use = each.getValue();
      if (use.owner.refersTo(owner) || use.purgatory.refersTo(owner)) {
        return each.getKey();
      }
    }
    return null;
  }

  private String firstFree(String wanted, Map<String, Use> names) {
    String next = wanted;
    for (int number = 2; names.containsKey(next) || isTakenByAStranger(next); number++) {
      next = wanted + '-' + number;
    }
    return next;
  }

  /** By this class in another class loader, in the same registry. */
  private boolean isTakenByAStranger(String next) {
    return registry.find("purgatory.pending").tag("name", next).meter() != null
        || registry.find("purgatory.held").tag("name", next).meter() != null;
  }

  /** Returns whether the purgatory had meters in the registry before. */
  boolean isKnown() {
    return isKnown;
  }

  void setPurgatory(Purgatory<?> purgatory) {
    synchronized (NAMES) {
      use.purgatory = new WeakReference<>(purgatory);
    }
  }

  MeterRegistry registry() {
    return registry;
  }

  String name() {
    return name;
  }

  Tags tags() {
    return Tags.of("name", name);
  }

  /** Adds a meter that was just registered. Removes it if this is closed and no other has it. */
  <M extends Meter> M add(M meter) {
    synchronized (NAMES) {
      if (!use.closed) {
        use.meters.add(meter.getId());
        return meter;
      }
      for (Use other : NAMES.getOrDefault(registry, Map.of()).values()) {
        if (other != use && other.meters.contains(meter.getId())) {
          return meter;
        }
      }
    }
    registry.remove(meter);
    return meter;
  }

  /** Removes the meters, and gives the name back. */
  void close() {
    closeAll(each -> each == use);
  }

  private void closeAll(Predicate<Use> condition) {
    Map<String, Use> closing = new HashMap<>();
    Set<Meter.Id> left = new HashSet<>();
    synchronized (NAMES) {
      Map<String, Use> names = NAMES.getOrDefault(registry, Map.of());
      names.forEach(
          (each, of) -> {
            if (!of.closed && condition.test(of)) {
              of.closed = true;
              closing.put(each, of);
              left.addAll(of.meters);
            }
          });
      for (Use other : names.values()) {
        if (!other.closed) {
          left.removeAll(other.meters);
        }
      }
    }
    try {
      left.forEach(registry::remove);
    } finally { // a listener of the registry may throw
      synchronized (NAMES) { // last, so that nobody takes a name while its meters are there
        closing.forEach(NAMES.getOrDefault(registry, Map.of())::remove);
      }
    }
  }
}
