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
import org.jspecify.annotations.Nullable;

/** The meters of one purgatory in a registry, under a name that no other has. Thread-safe. */
final class NamedMeters {

  /*
   * Micrometer returns the meter of another purgatory if a name is used twice, and ignores the second gauge. A
   * registry cannot be asked whether a name is taken: filters may rename or drop any meter. So the names
   * are kept here, per registry, which the map refers to weakly. Its values refer to no registry: they know
   * meters by their ids only.
   *
   * A name is free again when its meters were removed, or when its owner was collected. Then those that it
   * has left are removed by the next one that takes the name.
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
    Set<Meter.Id> left = Set.of();
    synchronized (NAMES) {
      Map<String, Use> names = NAMES.computeIfAbsent(registry, unused -> new HashMap<>());
      String known = nameOf(owner, names);
      isKnown = known != null;
      name = known != null ? known : firstFree(wanted, names);
      Use former = isKnown ? null : names.put(name, use);
      if (former != null) {
        left = metersOfNoOther(former, names);
      }
    }
    left.forEach(registry::remove);
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
    for (int number = 2; isTaken(next, names); number++) {
      next = wanted + '-' + number;
    }
    return next;
  }

  private boolean isTaken(String next, Map<String, Use> names) {
    Use known = names.get(next);
    return known == null ? isTakenByAStranger(next) : known.owner.get() != null;
  }

  /** By this class in another class loader, in the same registry. */
  private boolean isTakenByAStranger(String next) {
    return registry.find("purgatory.pending").tag("name", next).meter() != null
        || registry.find("purgatory.held").tag("name", next).meter() != null;
  }

  private static Set<Meter.Id> metersOfNoOther(Use of, Map<String, Use> names) {
    Set<Meter.Id> meters = new HashSet<>(of.meters);
    for (Use other : names.values()) {
      if (other != of) {
        other.meters.forEach(meters::remove);
      }
    }
    return meters;
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
    Set<Meter.Id> left;
    synchronized (NAMES) {
      use.closed = true;
      left = metersOfNoOther(use, NAMES.getOrDefault(registry, Map.of()));
    }
    left.forEach(registry::remove);
    synchronized (NAMES) { // last, so that nobody takes the name while its meters are there
      NAMES.getOrDefault(registry, Map.of()).remove(name, use);
    }
  }
}
