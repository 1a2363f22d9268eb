package dev.purgatory;

import dev.purgatory.internal.LastResort;
import dev.purgatory.internal.StripedCounter;
import dev.purgatory.internal.Stripes;
import java.util.Collection;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.StampedLock;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/** The watch lists of all keys. Thread-safe. */
final class WatchLists<K> {

  /*
   * A list is in the map until it is retired. Between its retirement and its removal from the map,
   * appenders find it retired and help to remove it.
   *
   * Two counts tell when a purge is due: `watched`, the registrations on all lists, and
   * `completedButWatched`, those that are cleared. Both count what really happened to the lists, so
   * neither is an estimate. A purge visits every registration. It is due when at least as many are cleared
   * as are not, so it costs a constant per operation in the long run. The size of the lists alone never
   * makes one due.
   *
   * Removing a list and creating it again costs more than a signal. So a signal that ends the only
   * operation of a list leaves the list empty, and a purge by time removes it if it is still empty.
   *
   * A ConcurrentHashMap never shrinks. After a burst of keys its table would keep memory, and each purge
   * would walk it. So the lists move to a new map when far more of them were created than exist: see
   * `Maps`. A list is created in, and moved to, the newest map by its computeIfAbsent, so a key has one
   * list at any time. Creators hold `creation` for reading, so that none adds to a map that is being left.
   * Only the exchange of the maps takes it for writing, for a moment.
   *
   * The hashCode or equals of a key may begin to throw. Its list can then be neither removed nor moved.
   * It becomes a stray, which only visitors of all lists reach, and is left behind with the old map.
   */

  private static final int STEPS = 64;

  /** Lists move when this many times more were created than exist. */
  private static final int SPARSE = 8;

  private static final int SMALL = 1024;

  /** Empty lists are kept for the next operation on their key while there are no more lists. */
  private static final int MOST_EMPTY = 4096;

  private static final String KEY_FAILED =
      "A key threw: its operations can no longer be found by it";

  private volatile Maps<K> maps = new Maps<>(new ConcurrentHashMap<>(), null);
  private final Queue<WatchList> strays = new ConcurrentLinkedQueue<>();

  /** Operations without a key: one list per stripe. A retired list is replaced. */
  private final AtomicReferenceArray<WatchList> withoutKey =
      new AtomicReferenceArray<>(Stripes.COUNT);

  private final StampedLock creation = new StampedLock();
  private final StripedCounter created = new StripedCounter();
  private final StripedCounter watched = new StripedCounter();
  private final StripedCounter completedButWatched = new StripedCounter();
  private final int purgeInterval;

  /** How many registrations must be cleared on one stripe before the sums are read. */
  private final long step;

  /** Held while lists move. */
  private final ReentrantLock moving = new ReentrantLock();

  /** How many lists had been created at the last exchange of maps. Guarded by {@code moving}. */
  private long createdBefore;

  /** A list could not be removed: only leaving the map behind removes it. */
  private volatile boolean stuck;

  /** There may be empty lists, which a purge by time removes. */
  private volatile boolean emptied;

  WatchLists(int purgeInterval) {
    this.purgeInterval = purgeInterval;
    for (int i = 0; i < withoutKey.length(); i++) {
      withoutKey.set(i, new WatchList());
    }
    step = Math.max(1, Integer.highestOneBit(purgeInterval / STEPS));
  }

  /**
   * Puts the registration on the list of the key.
   *
   * @return the number of cleared registrations that were removed; the caller must {@link #count}
   *     them
   */
  int watch(K key, Registration registration) {
    for (; ; ) {
      WatchList list = findOrCreate(key);
      int removed = list.append(registration);
      if (removed != WatchList.RETIRED) {
        return removed;
      }
      maps.remove(key, list);
    }
  }

  private WatchList findOrCreate(K key) {
    WatchList list = maps.current.get(key);
    return list == null ? create(key) : list;
  }

  private WatchList create(K key) {
    created.add(1);
    long stamp = creation.readLock();
    try {
      return maps.findOrCreate(key);
    } finally {
      creation.unlockRead(stamp);
    }
  }

  /**
   * Puts the registration on the list of the key, unless another operation waits there.
   *
   * @return as {@link #watch}, or {@link WatchList#IN_USE}
   */
  int watchAlone(K key, Registration registration) {
    for (; ; ) {
      WatchList list = findOrCreate(key);
      int removed = list.appendAlone(registration);
      if (removed != WatchList.RETIRED) {
        return removed;
      }
      maps.remove(key, list);
    }
  }

  /** Puts the registration on the lists of all keys, and counts it. */
  void watchAll(Collection<? extends K> keys, Registration registration) {
    int removed = 0;
    try {
      for (K key : keys) {
        removed += watch(key, registration);
        registration.lists++;
      }
    } finally {
      count(registration.lists, removed);
    }
  }

  /** Puts the registration on a list that only visitors of all lists reach. */
  int watchWithoutKey(Registration registration) {
    int at = Stripes.ofThisThread(Stripes.COUNT);
    for (; ; ) {
      WatchList list = withoutKey.get(at);
      int removed = list.append(registration);
      if (removed != WatchList.RETIRED) {
        return removed;
      }
      withoutKey.compareAndSet(at, list, new WatchList());
    }
  }

  /** Returns the list of the key, or null. */
  @Nullable WatchList get(K key) {
    for (; ; ) {
      Maps<K> seen = maps;
      WatchList list = seen.find(key);
      if (seen == maps) { // else the list may have been moved while we searched
        return list;
      }
    }
  }

  /**
   * Removes the only registration of a list if it is cleared, and keeps the list.
   *
   * @return false if there are many lists, and nothing was removed
   */
  boolean tryEmpty(WatchList list) {
    if (keys() > MOST_EMPTY) {
      return false;
    }
    removed(list.removeOnly());
    if (!emptied) {
      emptied = true;
    }
    return true;
  }

  /** Removes cleared registrations from the list of the key. After a failure, a purge does it. */
  void tryTidy(K key, WatchList list, WatchList.Walk walk) {
    try {
      contain(() -> tidy(key, list, walk));
    } catch (OutOfMemoryError e) {
      // The next purge removes them.
    }
  }

  /** Removes cleared registrations from the list of the key, and the list if it is empty then. */
  private void tidy(K key, WatchList list, WatchList.Walk walk) {
    removed(list.removeClearedAfter(walk));
    removeIfRetired(key, list);
  }

  private void removeIfRetired(K key, WatchList list) {
    if (list.isRetired()) {
      maps.remove(key, list);
    }
  }

  /** Counts registrations that were added to lists, and cleared ones that were removed. */
  void count(int added, int removed) {
    if (added != removed) {
      watched.add(added - removed);
    }
    if (removed > 0) {
      completedButWatched.add(-removed);
    }
  }

  private int removed(int registrations) {
    count(0, registrations);
    return registrations;
  }

  /**
   * Clears the registration of an operation that has ended.
   *
   * @return whether the caller should check if a purge is due
   */
  boolean clear(Registration registration) {
    int lists = registration.lists;
    long after = completedButWatched.add(lists);
    registration.clear();
    return ((after ^ (after - lists)) & -step) != 0; // passed a multiple of it
  }

  boolean isPurgeDue() {
    long ended = completedButWatched.sum();
    return ended > purgeInterval && ended > watched.sum() / 2;
  }

  /**
   * Removes cleared registrations from all lists.
   *
   * @return how many
   */
  long purge() {
    return removeAll(WatchList::removeCleared);
  }

  /**
   * Removes the lists on which every operation has ended. Each other list costs one step.
   *
   * @return how many registrations were removed
   */
  long removeDeadKeys() {
    if (completedButWatched.sum() <= 0 && !emptied) {
      shrink();
      return 0;
    }
    emptied = false;
    return removeAll(WatchList::removeClearedFront);
  }

  private long removeAll(ToIntFunction<WatchList> removal) {
    long[] sum = new long[1];
    Consumer<WatchList> visitor = list -> sum[0] += removed(removal.applyAsInt(list));
    forEachMap(
        (key, list) ->
            contain(
                () -> {
                  visitor.accept(list);
                  removeIfRetired(key, list);
                }));
    forEachUnnamed(visitor);
    strays.removeIf(WatchList::isRetired);
    shrink();
    return sum[0];
  }

  /** Confines a failure of a key to that key. */
  private void contain(Runnable action) {
    try {
      action.run();
    } catch (OutOfMemoryError e) {
      throw e;
    } catch (Throwable e) {
      stuck = true;
      LastResort.log(KEY_FAILED, e);
    }
  }

  /** Moves the lists to a smaller map, if this one has become far too large for them. */
  private void shrink() {
    if (!moving.tryLock()) {
      return;
    }
    try {
      if (maps.older == null && isSparse()) {
        exchangeMaps();
      }
      ConcurrentHashMap<K, WatchList> older = maps.older;
      if (older != null) {
        older.forEach(this::move);
        maps = new Maps<>(maps.current, null);
      }
    } finally {
      moving.unlock();
    }
  }

  private boolean isSparse() {
    return stuck || created.sum() - createdBefore > (long) SPARSE * keys() + SMALL;
  }

  private void exchangeMaps() {
    Maps<K> next = new Maps<>(new ConcurrentHashMap<>(), maps.current);
    long stamp = creation.writeLock();
    try {
      stuck = false;
      createdBefore = created.sum();
      maps = next;
    } finally {
      creation.unlockWrite(stamp);
    }
  }

  private void move(K key, WatchList list) {
    if (list.isRetired()) {
      return;
    }
    try {
      maps.move(key);
    } catch (OutOfMemoryError e) {
      throw e; // the next purge continues
    } catch (Throwable e) {
      strays.add(list);
      LastResort.log(KEY_FAILED, e);
    }
  }

  void forEachMap(BiConsumer<K, WatchList> visitor) {
    Maps<K> seen;
    do {
      seen = maps;
      if (seen.older != null) {
        seen.older.forEach(visitor);
      }
      seen.current.forEach(visitor);
    } while (seen != maps); // lists may have been moved while we visited
  }

  /** Calls the visitor with each list that existed when the call began. */
  void forEach(Consumer<WatchList> visitor) {
    forEachMap((key, list) -> visitor.accept(list));
    forEachUnnamed(visitor);
  }

  /** Calls the visitor with each list that no key leads to. */
  void forEachUnnamed(Consumer<WatchList> visitor) {
    for (int i = 0; i < withoutKey.length(); i++) {
      visitor.accept(withoutKey.get(i));
    }
    strays.forEach(visitor);
  }

  /** Returns the current map, for tests. */
  Object map() {
    return maps.current;
  }

  /** The number of cleared registrations on all lists, for tests. */
  long completedButWatched() {
    return completedButWatched.sum();
  }

  /** Returns the sum, which may be below zero for a moment while counters change. */
  long watched() {
    return Math.max(0, watched.sum());
  }

  int keys() {
    Maps<K> seen = maps;
    return seen.current.size() + (seen.older == null ? 0 : seen.older.size()) + strays.size();
  }
}
