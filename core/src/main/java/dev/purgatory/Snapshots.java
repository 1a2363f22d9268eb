package dev.purgatory;

import java.time.Duration;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** Counts what the watch lists of a purgatory hold. Used by one thread. */
final class Snapshots<K> {
  private final Purgatory<K> purgatory;
  private final Map<K, Integer> heldByKey = new HashMap<>();

  /** Lists move from one map to another, and may be found in both. */
  private final Set<WatchList> counted = new HashSet<>();

  private final long now;
  private long oldestNanos = -1;
  private long retained;

  Snapshots(Purgatory<K> purgatory) {
    this.purgatory = purgatory;
    this.now = purgatory.now();
  }

  PurgatorySnapshot<K> take(int mostKeys) {
    WatchLists<K> lists = purgatory.watchLists();
    lists.forEachMap((key, list) -> add(key, count(list)));
    lists.forEachUnnamed(this::count);
    return new PurgatorySnapshot<>(
        purgatory.pending(),
        purgatory.unanswered(),
        retained,
        lists.keys(),
        oldestNanos < 0 ? null : Duration.ofNanos(oldestNanos),
        busiest(mostKeys));
  }

  /**
   * Adds operations on a key. Those on an open key set are on its keys; those in a scope on others.
   */
  @SuppressWarnings("unchecked") // a key set of this purgatory
  private void add(K key, int held) {
    if (held == 0) {
      return;
    }
    if (!(key instanceof HiddenKey hidden)) {
      heldByKey.merge(key, held, Integer::sum);
    } else if (hidden.owner instanceof KeySet<?> set && set.isOpen()) {
      ((KeySet<K>) set).keys().forEach(each -> heldByKey.merge(each, held, Integer::sum));
    }
  }

  /** Returns the number of held operations on the list; 0 if they were counted before. */
  private int count(WatchList list) {
    if (!counted.add(list)) {
      return 0;
    }
    WatchList.Walk walk = list.walk(this::isHeld);
    retained += walk.cleared();
    return walk.hits();
  }

  private boolean isHeld(Registration registration) {
    if (!registration.isOpenAndHeld()) {
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
