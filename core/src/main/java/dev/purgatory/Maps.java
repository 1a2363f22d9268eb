package dev.purgatory;

import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Where the watch lists are: all in the current map, except for those that have not yet been moved
 * there from an older one. Thread-safe.
 *
 * @param <K> the type of the keys
 */
final class Maps<K> {

  /*
   * A list is moved by putting it into the current map first, and taking it out of the older one then:
   * at any moment it is in one of them, for whoever looks into the current map, the older one, and the
   * current map again. A list that is in both for a moment is the same list. One that was retired and
   * removed from the current map in this moment is still retired when somebody finds it in the older one.
   */

  final ConcurrentHashMap<K, WatchList> current;

  /** Null if no move is in progress. */
  final @Nullable ConcurrentHashMap<K, WatchList> older;

  Maps(ConcurrentHashMap<K, WatchList> current, @Nullable ConcurrentHashMap<K, WatchList> older) {
    this.current = current;
    this.older = older;
  }

  /** Returns the list of the key, also if it is moved meanwhile. */
  @Nullable WatchList find(K key) {
    WatchList list = current.get(key);
    if (list == null && older != null) {
      list = older.get(key);
      return list == null ? current.get(key) : list;
    }
    return list;
  }

  /** Returns the list of the key in the current map: moves it there, or makes a new one. */
  WatchList findOrCreate(K key) {
    WatchList list = current.computeIfAbsent(key, this::moveOrCreate);
    removeFromOlder(key, list);
    return list;
  }

  /** Moves the list of the key to the current map, if it is still in the older one. */
  void move(K key) {
    WatchList list = current.computeIfAbsent(key, this::inUseInOlder);
    if (list != null) {
      removeFromOlder(key, list);
    }
  }

  private WatchList moveOrCreate(K key) {
    WatchList list = inUseInOlder(key);
    return list == null ? new WatchList() : list;
  }

  private @Nullable WatchList inUseInOlder(K key) {
    WatchList list = older == null ? null : older.get(key);
    return list == null || list.isRetired() ? null : list;
  }

  private void removeFromOlder(K key, WatchList list) {
    if (older != null) {
      boolean unused = older.remove(key, list);
    }
  }

  /** Removes a list that is retired. */
  void remove(K key, WatchList list) {
    if (!current.remove(key, list)) {
      removeFromOlder(key, list);
    }
  }
}
