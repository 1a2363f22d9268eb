package dev.purgatory.watch;

import dev.purgatory.base.LastResort;
import dev.purgatory.base.ShrinkingMap;
import dev.purgatory.base.StripedCounter;
import dev.purgatory.base.Stripes;
import java.util.Collection;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.BiConsumer;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The watch lists of all keys. Thread-safe.
 *
 * @param <K> the type of the keys
 */
public final class WatchLists<K> implements Keys<K> {

  /*
   * A list is in the map until it is retired. Between its retirement and its removal from the map,
   * appenders find it retired and help to remove it.
   *
   * Two numbers tell when a purge is due: how many waiters are on all lists, and how many of these are
   * cleared. Both are differences of what was counted when it happened, so neither is an estimate. A
   * purge visits every waiter. It is due when more are cleared than not, and more than `purgeInterval`,
   * so it costs a constant per operation in the long run. The size of the lists alone never makes one
   * due.
   *
   * Removing a list and creating it again costs more than a signal. So a signal that ends the only
   * waiter of a list leaves the list empty, and a purge by time removes it if it is still empty.
   *
   * The hashCode or equals of a key may begin to throw. Its list can then be neither removed nor moved.
   * Only visitors of all lists reach it then, and the map leaves it behind: see `ShrinkingMap`.
   */

  /** The sums of the counters are read about this often while a purge interval is cleared. */
  private static final int STEPS = 64;

  /**
   * Empty lists are kept for the next waiter on their key while there are no more keys than this.
   */
  private static final int MOST_EMPTY = 4096;

  private static final LastResort KEY_FAILED =
      LastResort.handler("A key threw: its operations can no longer be found by it");

  final ShrinkingMap<K, WatchList> map;

  /** Waiters without a key: one list per stripe, if any. A retired list is replaced. */
  private final AtomicReferenceArray<@Nullable WatchList> withoutKey =
      new AtomicReferenceArray<>(Stripes.COUNT);

  // What happened to waiters on lists.
  private final StripedCounter added = new StripedCounter();
  private final StripedCounter cleared = new StripedCounter();
  private final StripedCounter removed = new StripedCounter();
  private final int purgeInterval;

  /** How many waiters must be cleared on one stripe before the sums are read. */
  private final long step;

  /** A list was created for a key. */
  private volatile boolean keyed;

  /** There may be empty lists, which a purge by time removes. */
  private volatile boolean emptied;

  /**
   * Creates an empty set of lists.
   *
   * @param purgeInterval how many cleared waiters may stay before a purge is due
   * @param mover makes the map smaller after a burst of keys
   */
  public WatchLists(int purgeInterval, Executor mover) {
    map = new ShrinkingMap<>(mover, WatchList::isRetired);
    this.purgeInterval = purgeInterval;
    step = Math.max(1, Integer.highestOneBit(purgeInterval / STEPS));
  }

  /**
   * Puts the waiter on the list of the key.
   *
   * @return the number of cleared waiters that were removed; the caller must {@link #count} them
   */
  int watch(K key, Waiter waiter) {
    for (; ; ) {
      WatchList list =
          map.computeIfAbsent(
              key,
              k -> {
                keyed = true;
                return new WatchList();
              });
      int removed = list.append(waiter);
      if (removed != WatchList.RETIRED) {
        return removed;
      }
      map.remove(key, list);
    }
  }

  /** Without a key, puts the waiter on a list that only visitors of all lists reach. */
  @Override
  public void watch(Collection<? extends K> keys, Waiter waiter) {
    int lists = 0;
    int fewer = 0;
    try {
      if (keys.isEmpty()) {
        fewer = watchWithoutKey(waiter);
        lists = 1;
      }
      for (K key : keys) {
        if (waiter.isEnded()) {
          return;
        }
        fewer += watch(key, waiter);
        lists++;
      }
    } finally {
      waiter.lists = lists; // written once: other threads see the waiter by now
      count(lists, fewer);
    }
  }

  private int watchWithoutKey(Waiter waiter) {
    int at = Stripes.ofThisThread(Stripes.COUNT);
    for (; ; ) {
      WatchList list = withoutKey.get(at);
      int removed = list == null ? WatchList.RETIRED : list.append(waiter);
      if (removed != WatchList.RETIRED) {
        return removed;
      }
      withoutKey.compareAndSet(at, list, new WatchList());
    }
  }

  @Override
  public @Nullable WatchList get(K key) {
    return map.get(key);
  }

  /**
   * Removes cleared waiters after a walk, if that is worth its cost. Without memory, a purge does
   * it.
   *
   * @param key the key
   * @param waiters those on it
   * @param walk the result of the walk
   */
  public void tidy(K key, Waiters waiters, Walk walk) {
    if (!(waiters instanceof WatchList list)) {
      return; // it leaves by itself
    }
    if (walk.isOneEnded() && keys() <= MOST_EMPTY) {
      emptied = true; // first: a purge that comes in between then looks for it
      count(0, list.removeOnly());
    } else if (walk.isStopped() || walk.leavesMuchToRemove()) {
      try {
        removed(key, list, list.removeClearedAfter(walk));
      } catch (OutOfMemoryError e) {
        // The next purge removes it.
      }
    }
  }

  /** Counts what was removed from a list, and removes a retired one. Contains a key that throws. */
  private int removed(@Nullable K key, WatchList list, int waiters) {
    count(0, waiters);
    try {
      if (key != null && list.isRetired()) {
        map.remove(key, list);
      }
    } catch (OutOfMemoryError e) {
      throw e;
    } catch (Throwable e) {
      KEY_FAILED.accept(e);
    }
    return waiters;
  }

  /** Counts waiters that were added to lists, and cleared ones that were removed. */
  void count(int more, int fewer) {
    if (more > 0) {
      added.add(more);
    }
    if (fewer > 0) {
      removed.add(fewer);
    }
  }

  /**
   * Counts a waiter that has ended as cleared, and clears it unless it is. A sweep may count it as
   * removed before.
   *
   * @param waiter is on no list, or on those of {@link #watch}
   * @return whether the caller should check if a purge is due
   */
  public boolean clear(Waiter waiter) {
    int lists = waiter.lists;
    long after = lists == 0 ? 0 : cleared.add(lists);
    waiter.clear();
    return ((after ^ (after - lists)) & -step) != 0; // it has passed a multiple
  }

  boolean isPurgeDue() {
    long left = clearedButWatched();
    return left > purgeInterval && left > watched() - left;
  }

  /**
   * Removes cleared waiters from all lists.
   *
   * @return how many
   */
  public long purge() {
    return removeAll(WatchList::removeCleared);
  }

  /**
   * Removes the lists on which every waiter is cleared. Each other list costs one step.
   *
   * @return how many waiters were removed
   */
  long removeDeadKeys() {
    if (clearedButWatched() <= 0 && !emptied) {
      map.tidy();
      return 0;
    }
    emptied = false;
    return removeAll(WatchList::removeClearedFront);
  }

  private long removeAll(ToIntFunction<WatchList> removal) {
    long[] sum = new long[1];
    forEach(
        (key, list) ->
            sum[0] += removed(key, (WatchList) list, removal.applyAsInt((WatchList) list)));
    map.tidy();
    return sum[0];
  }

  @Override
  public void forEach(BiConsumer<? super @Nullable K, ? super Waiters> visitor) {
    map.forEach(visitor);
    for (int i = 0; i < withoutKey.length(); i++) {
      WatchList list = withoutKey.get(i);
      if (list != null) {
        visitor.accept(null, list);
      }
    }
    map.forEachStray(list -> visitor.accept(null, list));
  }

  /** Returns the number of cleared waiters on all lists. */
  long clearedButWatched() {
    long gone = removed.sum(); // first: what is counted in between makes the difference greater
    return cleared.sum() - gone;
  }

  /** Returns the total size of the lists. */
  @Override
  public long watched() {
    long gone = removed.sum();
    return Math.max(0, added.sum() - gone); // a waiter may end before it is counted
  }

  /**
   * Returns whether there may be keys.
   *
   * @return false as long as there was none
   */
  public boolean hasKeys() {
    return keyed;
  }

  /** Returns the number of keys that have a list. */
  @Override
  public int keys() {
    return map.size();
  }
}
