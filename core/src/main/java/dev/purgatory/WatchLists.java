package dev.purgatory;

import dev.purgatory.internal.LastResort;
import dev.purgatory.internal.StripedCounter;
import dev.purgatory.internal.Stripes;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.StampedLock;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The watch lists of all keys. Thread-safe. */
final class WatchLists<K> {

  /*
   * A list is in the map while it is not retired; between its retirement and its removal from the
   * map, appenders find it retired and help to remove it.
   *
   * Two counts say when a purge is due: `watched`, the registrations on all lists, and `completedButWatched`,
   * how many of these are cleared. Both move by what really happened to the lists, so that the second
   * is no estimate. A purge looks at every registration; it is due when at least as many are cleared as are not,
   * and so costs a constant per operation in the long run. The size of the lists alone never causes one.
   *
   * A ConcurrentHashMap never shrinks. After a burst of keys its table would cost memory, and each
   * purge a walk through it. So the lists move to a new map when many more of them were created than
   * there are: see `Maps`. A list is created in, and moved to, the newest map by its computeIfAbsent, so
   * that there is one for a key at any time. Creators hold `creation` for reading, so that none adds to
   * a map that is being left; only the exchange of the maps takes it for writing, for a moment.
   *
   * A key may begin to throw in hashCode or equals. Its list can then be neither removed nor moved: it
   * becomes a stray, which only the visitors of all lists reach, and is left behind with the old map.
   */

  private static final int STEPS = 64;

  /** Lists move when so many times more were created than there are. */
  private static final int SPARSE = 8;

  private static final int SMALL = 1024;

  private static final String KEY_FAILED =
      "A key failed; operations cannot be found by it any more";

  private volatile Maps<K> maps = new Maps<>(new ConcurrentHashMap<>(), null);
  private final Queue<WatchList> strays = new ConcurrentLinkedQueue<>();

  /** What waits for no event: one list per stripe. A retired list is replaced. */
  private final AtomicReferenceArray<WatchList> withoutKey =
      new AtomicReferenceArray<>(Stripes.COUNT);

  private final StampedLock creation = new StampedLock();
  private final StripedCounter created = new StripedCounter();
  private final StripedCounter watched = new StripedCounter();
  private final StripedCounter completedButWatched = new StripedCounter();
  private final int purgeInterval;

  /** How much has to end on one stripe for a look at the sums. */
  private final long step;

  /** Held while lists move. */
  private final ReentrantLock moving = new ReentrantLock();

  /** How many lists had been created when the map was exchanged. Guarded by {@code moving}. */
  private long createdBefore;

  /** A list could not be removed, so that only leaving the map behind gets rid of it. */
  private volatile boolean stuck;

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
   * @return how many cleared registrations were removed on the way; to be counted: {@link #count}
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
   * Puts the registration on the list of the key, if nothing else that is in use is there.
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

  /** Puts the registration on a list that only the visitors of all lists reach. */
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

  /** Returns the list of the key, if there is one. */
  @Nullable WatchList get(K key) {
    for (; ; ) {
      Maps<K> seen = maps;
      WatchList list = seen.find(key);
      if (seen == maps) { // else the list may have been moved past this look
        return list;
      }
    }
  }

  /** Removes cleared registrations from the list of the key. A failure leaves that to a purge. */
  void tryTidy(K key, WatchList list) {
    try {
      contain(() -> tidy(key, list));
    } catch (OutOfMemoryError e) {
      // The next purge does it.
    }
  }

  /** Removes cleared registrations from the list of the key, and the list if it is empty then. */
  private void tidy(K key, WatchList list) {
    removed(list.removeCleared());
    removeIfRetired(key, list);
  }

  private void removeIfRetired(K key, WatchList list) {
    if (list.isRetired()) {
      maps.remove(key, list);
    }
  }

  /** Counts registrations that were put on lists, and those that were removed on the way. */
  void count(int added, int removed) {
    watched.add(added);
    removed(removed);
  }

  private void removed(int registrations) {
    if (registrations > 0) {
      watched.add(-registrations);
      completedButWatched.add(-registrations);
    }
  }

  /**
   * Clears the registration of an operation that has ended.
   *
   * @return whether it is time to look if a purge is due
   */
  boolean clear(Registration registration) {
    int lists = registration.lists;
    long after = completedButWatched.add(lists);
    registration.clear();
    return ((after ^ (after - lists)) & -step) != 0; // a multiple of it was passed
  }

  boolean isPurgeDue() {
    long ended = completedButWatched.sum();
    return ended > purgeInterval && ended > watched.sum() / 2;
  }

  /** Removes cleared registrations from all lists. */
  void purge() {
    visitAll((key, list) -> tidy(key, list), list -> removed(list.removeCleared()));
  }

  /**
   * Removes the lists on which everything has ended, at the cost of one look at each of the others.
   */
  void removeDeadKeys() {
    if (completedButWatched.sum() <= 0) {
      shrink();
      return;
    }
    visitAll(
        (key, list) -> {
          removed(list.removeClearedFront());
          removeIfRetired(key, list);
        },
        list -> removed(list.removeClearedFront()));
  }

  private void visitAll(BiConsumer<K, WatchList> visitor, Consumer<WatchList> strayVisitor) {
    forEachMap((key, list) -> contain(() -> visitor.accept(key, list)));
    forEachWithoutKey(strayVisitor);
    strays.forEach(strayVisitor);
    strays.removeIf(WatchList::isRetired);
    shrink();
  }

  /** What a key throws harms that key alone. */
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

  /** Moves the lists to a map of their own size, if this one has become far too large for them. */
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
      throw e; // the next purge goes on
    } catch (Throwable e) {
      strays.add(list);
      LastResort.log(KEY_FAILED, e);
    }
  }

  private void forEachMap(BiConsumer<K, WatchList> visitor) {
    Maps<K> seen;
    do {
      seen = maps;
      if (seen.older != null) {
        seen.older.forEach(visitor);
      }
      seen.current.forEach(visitor);
    } while (seen != maps); // else lists may have been moved past this look
  }

  /** Calls the visitor with each list that has been there since the call began. */
  void forEach(Consumer<WatchList> visitor) {
    forEachMap((key, list) -> visitor.accept(list));
    forEachWithoutKey(visitor);
    strays.forEach(visitor);
  }

  private void forEachWithoutKey(Consumer<WatchList> visitor) {
    for (int i = 0; i < withoutKey.length(); i++) {
      visitor.accept(withoutKey.get(i));
    }
  }

  /** The map that has the lists now, for tests. */
  Object map() {
    return maps.current;
  }

  /** A sum of counters that move while it is taken may pass below zero. */
  long watched() {
    return Math.max(0, watched.sum());
  }

  int keys() {
    Maps<K> seen = maps;
    return seen.current.size() + (seen.older == null ? 0 : seen.older.size()) + strays.size();
  }
}
