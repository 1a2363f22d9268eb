package dev.purgatory;

import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The watch lists by key: in the current map, except for those that are still in an older one, from
 * which they are being moved. Thread-safe.
 *
 * @param <K> the type of the keys
 */
final class Maps<K> {

  /*
   * A move puts a list into the current map first, and then removes it from the older one. So a reader
   * that searches the current map, the older one, and the current map again always finds it. A list that
   * is in both maps for a moment is the same object. If it is retired and removed from the current map in
   * that moment, it is still retired when a reader finds it in the older one.
   */

  final ConcurrentHashMap<K, WatchList> current;

  /** Null unless a move is in progress. */
  final @Nullable ConcurrentHashMap<K, WatchList> older;

  Maps(ConcurrentHashMap<K, WatchList> current, @Nullable ConcurrentHashMap<K, WatchList> older) {
    this.current = current;
    this.older = older;
  }

  /** Returns the list of the key, even while it is being moved, or null. */
  @Nullable WatchList find(K key) {
    WatchList list = current.get(key);
    if (list == null && older != null) {
      list = older.get(key);
      return list == null ? current.get(key) : list;
    }
    return list;
  }

  /** Returns the list of the key in the current map: moves it there, or creates it. */
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

  /** Removes a retired list. */
  void remove(K key, WatchList list) {
    if (!current.remove(key, list)) {
      removeFromOlder(key, list);
    }
  }
}
