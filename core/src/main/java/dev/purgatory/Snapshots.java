package dev.purgatory;

import dev.purgatory.watch.HiddenKey;
import dev.purgatory.watch.Keys;
import dev.purgatory.watch.Waiter;
import dev.purgatory.watch.Waiters;
import dev.purgatory.watch.Walk;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Counts or lists what the watch lists of a purgatory hold. Used once, by one thread. */
final class Snapshots<K> {
  private final Core<K> core;
  private final Map<K, Integer> heldByKey = new HashMap<>();
  private final Map<Registration, On<K>> listed = new HashMap<>();

  /** Lists move from one map to another, and may be found in both. */
  private final Set<Waiters> counted = new HashSet<>();

  private final long now;
  private long oldestNanos = -1;
  private long retained;

  /** What a registration is held on. */
  private record On<K>(List<K> keys, List<Scope> scopes) {
    private static final int FEW = 2;

    On() {
      this(new ArrayList<>(FEW), new ArrayList<>(FEW));
    }
  }

  Snapshots(Core<K> core) {
    this.core = core;
    this.now = core.now();
  }

  PurgatorySnapshot<K> take(int mostKeys) {
    Keys<K> keys = core.keys();
    keys.forEach((key, list) -> add(key, count(list)));
    return new PurgatorySnapshot<>(
        retained, oldestNanos < 0 ? null : Duration.ofNanos(oldestNanos), busiest(mostKeys));
  }

  List<HeldRequest<K>> list() {
    Keys<K> keys = core.keys();
    keys.forEach((key, list) -> collect(userKeys(key), scopes(key), list));
    List<HeldRequest<K>> found = new ArrayList<>(listed.size());
    listed.forEach(
        (registration, on) -> {
          Object operation = registration.operation();
          if (operation != null && registration.isOpenAndHeld()) { // else it has just ended
            found.add(describe(registration, operation, on));
          }
        });
    found.sort(Comparator.<HeldRequest<K>, Duration>comparing(HeldRequest::heldFor).reversed());
    return Collections.unmodifiableList(found);
  }

  private void collect(Collection<K> keys, Collection<Scope> scopes, Waiters list) {
    if (counted.add(list)) {
      list.walk(
          each -> {
            if (each instanceof Registration held && held.isOpenAndHeld()) {
              On<K> on = listed.computeIfAbsent(held, registration -> new On<>());
              on.keys.addAll(keys);
              on.scopes.addAll(scopes);
            }
            return false;
          });
    }
  }

  private HeldRequest<K> describe(Registration registration, Object operation, On<K> on) {
    return new HeldRequest<>(
        operation,
        Collections.unmodifiableList(on.keys),
        Collections.unmodifiableList(on.scopes),
        operation instanceof HeldFuture<?> future ? future.tag() : null,
        Duration.ofNanos(registration.heldNanos(now, registration.timeoutNanos())),
        registration.timeLeft(now));
  }

  /** Returns the keys of the user behind this key: a group has several, a scope and null none. */
  @SuppressWarnings("unchecked") // a key group of this purgatory
  private Collection<K> userKeys(@Nullable K key) {
    if (!(key instanceof HiddenKey hidden)) {
      return key == null ? List.of() : List.of(key);
    }
    return hidden.owner() instanceof KeyGroup<?> group && group.isOpen()
        ? ((KeyGroup<K>) group).keys()
        : List.of();
  }

  private static List<Scope> scopes(@Nullable Object key) {
    return key instanceof HiddenKey hidden && hidden.owner() instanceof Scope scope
        ? List.of(scope)
        : List.of();
  }

  /**
   * Adds operations on a key. Those on an open key group are on its keys; those in a scope on
   * others.
   */
  private void add(@Nullable K key, int held) {
    if (held > 0) {
      userKeys(key).forEach(each -> heldByKey.merge(each, held, Integer::sum));
    }
  }

  /** Returns the number of held operations on the list; 0 if they were counted before. */
  private int count(Waiters list) {
    if (!counted.add(list)) {
      return 0;
    }
    Walk walk = list.walk(this::isHeld);
    retained += walk.cleared();
    return walk.hits();
  }

  private boolean isHeld(Waiter waiter) {
    if (!(waiter instanceof Registration registration && registration.isOpenAndHeld())) {
      return false;
    }
    oldestNanos = Math.max(oldestNanos, registration.heldNanos(now, registration.timeoutNanos()));
    return true;
  }

  private Map<K, Integer> busiest(int most) {
    Map<K, Integer> busiest = new LinkedHashMap<>();
    heldByKey.entrySet().stream()
        .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
        .limit(most)
        .forEach(each -> busiest.put(each.getKey(), each.getValue()));
    return Collections.unmodifiableMap(busiest);
  }
}
