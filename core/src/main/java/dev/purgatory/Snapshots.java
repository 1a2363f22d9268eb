package dev.purgatory;

import java.time.Duration;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/** Counts what the watch lists of a purgatory hold. Used by one thread. */
final class Snapshots<K> {
  private final Purgatory<K> purgatory;
  private final Map<K, Integer> heldByKey = new HashMap<>();
  private final long now;
  private long oldestNanos = -1;
  private long retained;

  Snapshots(Purgatory<K> purgatory) {
    this.purgatory = purgatory;
    this.now = purgatory.now();
  }

  PurgatorySnapshot<K> take(int mostKeys) {
    WatchLists<K> lists = purgatory.watchLists();
    lists.forEachMap(
        (key, list) -> {
          int held = count(list);
          if (held > 0 && !isHidden(key)) {
            heldByKey.put(key, held);
          }
        });
    lists.forEachWithoutKey(this::count);
    return new PurgatorySnapshot<>(
        purgatory.pending(),
        purgatory.unanswered(),
        retained,
        lists.keys(),
        oldestNanos < 0 ? null : Duration.ofNanos(oldestNanos),
        busiest(mostKeys));
  }

  private static boolean isHidden(Object key) {
    return key instanceof Scope || key instanceof KeySet;
  }

  /** Returns the number of held operations on the list. */
  private int count(WatchList list) {
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
