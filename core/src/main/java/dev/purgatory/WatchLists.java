package dev.purgatory;

import dev.purgatory.internal.StripedCounter;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The watch lists of all keys. Thread-safe. */
final class WatchLists<K> {

  /*
   * A list is in the map while it is not retired; between its retirement and its removal from the
   * map, appenders find it retired and help to remove it.
   *
   * Two counts say when a purge is worth its while: `watched`, the cells on all lists, and
   * `completedButWatched`, how many of these belong to operations that have ended. Both move by what
   * really happened to the lists, so that the second is no estimate. A purge looks at every cell; it
   * is due when at least as many are cleared as are not, and so costs a constant per operation in the
   * long run. The size of the lists alone never causes one.
   */

  private static final int STEPS = 64;

  private final ConcurrentHashMap<K, WatchList> lists = new ConcurrentHashMap<>();
  private final StripedCounter watched = new StripedCounter();
  private final StripedCounter completedButWatched = new StripedCounter();
  private final int purgeInterval;

  /** How much has to end on one stripe for a look at the sums. */
  private final long step;

  WatchLists(int purgeInterval) {
    this.purgeInterval = purgeInterval;
    step = Math.max(1, Integer.highestOneBit(purgeInterval / STEPS));
  }

  /** Puts the cell on the list of the key. To be counted: {@link #count}. */
  void watch(K key, Cell cell) {
    for (; ; ) {
      WatchList list = lists.get(key);
      if (list == null) {
        list = lists.computeIfAbsent(key, k -> new WatchList());
      }
      int removed = list.append(cell);
      if (removed != WatchList.RETIRED) {
        removed(removed);
        return;
      }
      lists.remove(key, list);
    }
  }

  /** Returns the list of the key, if there is one. */
  @Nullable WatchList get(K key) {
    return lists.get(key);
  }

  /** Removes what has ended from the list of the key, and the list if it is empty then. */
  void tidy(K key, WatchList list) {
    removed(list.removeCleared());
    if (list.isRetired()) {
      lists.remove(key, list);
    }
  }

  /** Counts cells that were put on lists. */
  void count(int cells) {
    watched.add(cells);
  }

  private void removed(int cells) {
    if (cells > 0) {
      watched.add(-cells);
      completedButWatched.add(-cells);
    }
  }

  /**
   * Clears the cell of an operation that has ended.
   *
   * @return whether it is time to look if a purge is due
   */
  boolean clear(Cell cell) {
    int lists = cell.lists;
    long after = completedButWatched.add(lists);
    cell.clear();
    return ((after ^ (after - lists)) & -step) != 0; // a multiple of it was passed
  }

  boolean isPurgeDue() {
    long ended = completedButWatched.sum();
    return ended > purgeInterval && ended > watched.sum() / 2;
  }

  /** Removes what has ended from all lists. */
  void purge() {
    lists.forEach(this::tidy);
  }

  /** Calls the visitor with each list that has been there since the call began. */
  void forEach(BiConsumer<K, WatchList> visitor) {
    lists.forEach(visitor);
  }

  /** A sum of counters that move while it is taken may pass below zero. */
  long watched() {
    return Math.max(0, watched.sum());
  }

  int keys() {
    return lists.size();
  }
}
