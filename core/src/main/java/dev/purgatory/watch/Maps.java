package dev.purgatory.watch;

import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The waiters by key: in the current map, except for those that are still in an older one, from
 * which they are being moved. Thread-safe.
 *
 * @param <K> the type of the keys
 */
final class Maps<K> {

  /*
   * A move puts a value into the current map first, and then removes it from the older one. So a reader
   * that searches the current map, the older one, and the current map again always finds it. A value that
   * is in both maps for a moment is the same object. If it is retired and removed from the current map in
   * that moment, it is still retired when a reader finds it in the older one. Values are replaced in the
   * current map only.
   */

  final ConcurrentHashMap<K, OnKey> current;

  /** Null unless a move is in progress. */
  final @Nullable ConcurrentHashMap<K, OnKey> older;

  Maps(ConcurrentHashMap<K, OnKey> current, @Nullable ConcurrentHashMap<K, OnKey> older) {
    this.current = current;
    this.older = older;
  }

  /** Returns the waiters on the key, even while they are being moved, or null. */
  @Nullable OnKey find(K key) {
    OnKey found = current.get(key);
    if (found == null && older != null) {
      found = older.get(key);
      return found == null ? current.get(key) : found;
    }
    return found;
  }

  /** Returns the list of the key in the current map: moves it there, or creates it. */
  WatchList findOrCreate(K key) {
    OnKey found = current.computeIfAbsent(key, this::moveOrCreate);
    removeFromOlder(key, found);
    return (WatchList) found; // a waiter that is alone on its key never meets a list
  }

  private OnKey moveOrCreate(K key) {
    OnKey found = inUseInOlder(key);
    return found == null ? new WatchList() : found;
  }

  /**
   * Makes the waiter the only one of the key, unless there is another one or a list.
   *
   * @return what was there before, in the current map; null if the waiter is there now
   */
  @Nullable OnKey putIfAbsent(K key, Waiter waiter) {
    if (older == null) {
      return current.putIfAbsent(key, waiter);
    }
    OnKey found =
        current.computeIfAbsent(
            key,
            k -> {
              OnKey former = inUseInOlder(k);
              return former == null ? waiter : former;
            });
    removeFromOlder(key, found);
    return found == waiter ? null : found;
  }

  /** Moves the waiters on the key to the current map, if they are still in the older one. */
  void move(K key) {
    OnKey found = current.computeIfAbsent(key, this::inUseInOlder);
    if (found != null) {
      removeFromOlder(key, found);
    }
  }

  private @Nullable OnKey inUseInOlder(K key) {
    OnKey found = older == null ? null : older.get(key);
    return found == null || found.isRetired() ? null : found;
  }

  private boolean removeFromOlder(K key, OnKey found) {
    return older != null && older.remove(key, found);
  }

  /** Removes retired waiters; returns whether they were there. */
  boolean remove(K key, OnKey retired) {
    return current.remove(key, retired) || removeFromOlder(key, retired);
  }
}
