package dev.purgatory.watch;

import dev.purgatory.base.ForeignText;
import dev.purgatory.base.LastResort;
import dev.purgatory.base.Mutex;
import dev.purgatory.base.StripedCounter;
import dev.purgatory.base.Stripes;
import java.util.Collection;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.StampedLock;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The watch lists of all keys. Thread-safe.
 *
 * @param <K> the type of the keys
 */
public final class WatchLists<K> {

  /*
   * What may wait on a key alone, such as an awaited reply, is in the map by itself: no list, no lock, no
   * count. Its end removes it. All other waiters are on lists.
   *
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
   * A ConcurrentHashMap never shrinks. After a burst of keys its table would keep memory, and each purge
   * would walk it. So the lists move to a new map when far fewer of them are left than there were: see
   * `Maps`. A list is created in, and moved to, the newest map by its computeIfAbsent, so a key has one
   * list at any time. Creators hold `creation` for reading, so that none adds to a map that is being left.
   * Only the exchange of the maps takes it for writing, for a moment. A waiter that is alone needs no such
   * lock: who puts it there looks afterwards whether the maps were exchanged, and then puts it again. Two
   * lists of one key would have to be merged.
   *
   * The hashCode or equals of a key may begin to throw. Its list can then be neither removed nor moved.
   * It becomes a stray, which only visitors of all lists reach, and is left behind with the old map.
   */

  /** The sums of the counters are read about this often while a purge interval is cleared. */
  private static final int STEPS = 64;

  /** Lists move when there were this many times more than are left. */
  private static final int SPARSE = 8;

  /** How many more there must have been, however few are left. */
  private static final int SMALL = 1024;

  /** How many waiters come, or go, on one stripe before the keys are counted; a power of two. */
  private static final int PER_COUNT = 64;

  /**
   * Empty lists are kept for the next waiter on their key while there are no more keys than this.
   */
  private static final int MOST_EMPTY = 4096;

  private static final String KEY_FAILED =
      "A key threw: its operations can no longer be found by it";

  private volatile Maps<K> maps = new Maps<>(new ConcurrentHashMap<>(), null);
  private final Queue<OnKey> strays = new ConcurrentLinkedQueue<>();

  /** Waiters without a key: one list per stripe, if any. A retired list is replaced. */
  private final AtomicReferenceArray<@Nullable WatchList> withoutKey =
      new AtomicReferenceArray<>(Stripes.COUNT);

  private final StampedLock creation = new StampedLock();

  // What happened to waiters on lists.
  private final StripedCounter added = new StripedCounter();
  private final StripedCounter cleared = new StripedCounter();
  private final StripedCounter removed = new StripedCounter();
  private final String name;
  private final int purgeInterval;

  /** How many waiters must be cleared on one stripe before the sums are read. */
  private final long step;

  /** Held while lists move. */
  private final Mutex moving = new Mutex();

  /** The most keys since the last exchange of maps, as far as they were counted. */
  private final AtomicInteger mostKeys = new AtomicInteger();

  /** A list was created for a key. */
  private volatile boolean keyed;

  /** A list could not be removed: only leaving the map behind removes it. */
  private volatile boolean stuck;

  /** There may be empty lists, which a purge by time removes. */
  private volatile boolean emptied;

  /**
   * Creates an empty set of lists.
   *
   * @param name appears in messages
   * @param purgeInterval how many cleared waiters may stay before a purge is due
   */
  public WatchLists(String name, int purgeInterval) {
    this.name = name;
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
      WatchList list = findOrCreate(key);
      int removed = list.append(waiter);
      if (removed != WatchList.RETIRED) {
        return removed;
      }
      maps.remove(key, list);
    }
  }

  private WatchList findOrCreate(K key) {
    return maps.current.get(key) instanceof WatchList list ? list : create(key);
  }

  private WatchList create(K key) {
    if (!keyed) {
      keyed = true;
    }
    long stamp = creation.readLock();
    try {
      return maps.findOrCreate(key);
    } finally {
      creation.unlockRead(stamp);
    }
  }

  /**
   * Makes the waiter the only one on the key, until {@link #removeAlone}. One that has ended counts
   * as gone, even if it is not removed yet.
   *
   * @param key a key on which others wait alone, too
   * @param waiter is on no list yet. If it ends meanwhile, the caller must remove it
   * @throws IllegalStateException if something else waits there
   */
  public void watchAlone(K key, Waiter waiter) {
    Maps<K> seen = maps;
    putAlone(seen, key, waiter);
    for (Maps<K> now = maps; now != seen; now = maps) {
      seen = now; // they were exchanged, so the waiter may have been left behind
      putAlone(seen, key, waiter);
    }
  }

  private void putAlone(Maps<K> to, K key, Waiter waiter) {
    for (; ; ) {
      OnKey other = to.putIfAbsent(key, waiter);
      if (other == null || other == waiter) {
        return;
      }
      if (!(other instanceof Waiter former && former.isEnded())) {
        throw inUse(key);
      }
      if (to.current.replace(key, former, waiter)) {
        return;
      }
    }
  }

  /**
   * Checks that nothing waits alone on a key.
   *
   * @param key any key; one with a list passes
   * @throws IllegalStateException if something waits there
   */
  public void requireFree(K key) {
    if (get(key) instanceof Waiter other && !other.isEnded()) {
      throw inUse(key);
    }
  }

  private IllegalStateException inUse(K key) {
    return new IllegalStateException(name + ": " + ForeignText.of(key) + " is awaited already");
  }

  /**
   * Removes a waiter that has ended from the key on which it was alone. Who ends it clears it
   * before: a thread that moves it meanwhile looks afterwards. After a failure, a purge removes it.
   *
   * @param key the key
   * @param waiter may be gone already, or not be cleared yet, if who ends it calls this, too
   * @return false after a failure
   */
  public boolean removeAlone(K key, Waiter waiter) {
    try {
      maps.remove(key, waiter);
      return true;
    } catch (Throwable e) {
      removalFailed(e);
      return false;
    }
  }

  /**
   * Puts a waiter on the lists of all keys, as long as it has not ended. Without a key, puts it on
   * a list that only visitors of all lists reach.
   *
   * @param keys the keys of the user first, then hidden ones
   * @param waiter is on no list yet
   */
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

  /**
   * Returns the waiters on a key.
   *
   * @param key a key
   * @return null if nothing does
   */
  public @Nullable OnKey get(K key) {
    for (; ; ) {
      Maps<K> seen = maps;
      OnKey found = seen.find(key);
      if (seen == maps) { // else it may have been moved while we searched
        return found;
      }
    }
  }

  /**
   * Removes the only waiter of a list if it is cleared, and keeps the list.
   *
   * @param waiters the waiters on a key
   * @return false if that is no list, or there are many, and nothing was removed
   */
  public boolean tryEmpty(OnKey waiters) {
    if (!(waiters instanceof WatchList list) || keys() > MOST_EMPTY) {
      return false;
    }
    removed(list.removeOnly());
    if (!emptied) {
      emptied = true;
    }
    return true;
  }

  /**
   * Removes cleared waiters after a walk, if that is worth its cost. After a failure, a purge does
   * it.
   *
   * @param key the key
   * @param waiters those on it
   * @param walk the result of the walk
   */
  public void tryTidy(K key, OnKey waiters, WatchList.Walk walk) {
    if (walk.isStopped() || walk.leavesMuchToRemove()) {
      try {
        tidy(key, waiters, walk);
      } catch (Throwable e) {
        removalFailed(e);
      }
    }
  }

  /** Removes cleared waiters of the key, and the list if it is empty then. */
  private void tidy(K key, OnKey waiters, WatchList.Walk walk) {
    if (waiters instanceof WatchList list) {
      removed(list.removeClearedAfter(walk));
    }
    removeIfRetired(key, waiters);
  }

  private void removalFailed(Throwable e) {
    if (!(e instanceof OutOfMemoryError)) { // else the next purge removes it
      stuck = true;
      LastResort.log(KEY_FAILED, e);
    }
  }

  /** Removes a list that is empty, or an only waiter that is cleared. */
  private void removeIfRetired(K key, OnKey waiters) {
    if (waiters.isRetired()) {
      maps.remove(key, waiters);
    }
  }

  /** Counts waiters that were added to lists, and cleared ones that were removed. */
  void count(int more, int fewer) {
    if (more > 0 && passedMultiple(PER_COUNT, added.add(more), more)) {
      countKeys();
    }
    if (fewer > 0) {
      removed.add(fewer);
    }
  }

  /**
   * Counts a waiter that is put on a key alone.
   *
   * @param number how many there were so far, as one stripe of a counter has counted them
   */
  public void countAlone(long number) {
    if (passedMultiple(PER_COUNT, number, 1)) {
      countKeys();
    }
  }

  /**
   * Looks now and then, as waiters that were alone on a key end, whether the map is far too large.
   *
   * @param number how many have ended so far, as one stripe of a counter has counted them
   * @return whether a purge should put a smaller map in place
   */
  public boolean isSparseAfter(long number) {
    return passedMultiple(PER_COUNT, number, 1) && isSparse();
  }

  /**
   * Counts the keys. The map has room for the most that there were since it was made; when far
   * fewer are left, a purge puts a smaller one in place.
   */
  void countKeys() {
    mostKeys.accumulateAndGet(inMaps(), Math::max);
  }

  private int removed(int waiters) {
    count(0, waiters);
    return waiters;
  }

  /**
   * Clears a waiter that has ended.
   *
   * @param waiter is on no list, or on those of {@link #watch}
   * @return whether the caller should check if a purge is due
   */
  public boolean clear(Waiter waiter) {
    int lists = waiter.lists;
    long after = lists == 0 ? 0 : cleared.add(lists);
    waiter.clear();
    return passedMultiple(step, after, lists);
  }

  /** Returns whether a counter, by what was added, has passed a multiple of a power of two. */
  private static boolean passedMultiple(long of, long after, long added) {
    return ((after ^ (after - added)) & -of) != 0;
  }

  boolean isPurgeDue() {
    long left = clearedButWatched();
    return left > purgeInterval && left > watched() / 2;
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
      shrink();
      return 0;
    }
    emptied = false;
    return removeAll(WatchList::removeClearedFront);
  }

  private long removeAll(ToIntFunction<WatchList> removal) {
    long[] sum = new long[1];
    Consumer<OnKey> visitor =
        waiters -> {
          if (waiters instanceof WatchList list) {
            sum[0] += removed(removal.applyAsInt(list));
          }
        };
    forEachMap(
        (key, waiters) ->
            contain(
                () -> {
                  visitor.accept(waiters);
                  removeIfRetired(key, waiters);
                }));
    forEachUnnamed(visitor);
    strays.removeIf(OnKey::isRetired);
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
      removalFailed(e);
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
      ConcurrentHashMap<K, OnKey> older = maps.older;
      if (older != null) {
        older.forEach(this::move);
        maps = new Maps<>(maps.current, null);
      }
    } finally {
      moving.unlock();
    }
  }

  private boolean isSparse() {
    return stuck || mostKeys.get() > (long) SPARSE * inMaps() + SMALL;
  }

  private void exchangeMaps() {
    Maps<K> next = new Maps<>(new ConcurrentHashMap<>(), maps.current);
    long stamp = creation.writeLock();
    try {
      stuck = false;
      mostKeys.set(inMaps());
      maps = next;
    } finally {
      creation.unlockWrite(stamp);
    }
  }

  private void move(K key, OnKey waiters) {
    try {
      if (!waiters.isRetired()) {
        maps.move(key);
      }
      if (waiters instanceof Waiter) {
        removeIfRetired(key, waiters); // it may have ended while it moved
      }
    } catch (OutOfMemoryError e) {
      throw e; // the next purge continues
    } catch (Throwable e) {
      strays.add(waiters);
      LastResort.log(KEY_FAILED, e);
    }
  }

  /**
   * Calls the visitor with the waiters on each key.
   *
   * @param visitor may see a key twice, while lists move
   */
  public void forEachMap(BiConsumer<K, OnKey> visitor) {
    Maps<K> seen;
    do {
      seen = maps;
      if (seen.older != null) {
        seen.older.forEach(visitor);
      }
      seen.current.forEach(visitor);
    } while (seen != maps); // lists may have been moved while we visited
  }

  /**
   * Calls the visitor with all that waits when the call begins.
   *
   * @param visitor may see a list twice, while lists move
   */
  public void forEach(Consumer<OnKey> visitor) {
    forEachMap((key, waiters) -> visitor.accept(waiters));
    forEachUnnamed(visitor);
  }

  /**
   * Calls the visitor with each list that no key leads to.
   *
   * @param visitor gets lists of waiters without a key, or of keys that throw
   */
  public void forEachUnnamed(Consumer<OnKey> visitor) {
    for (int i = 0; i < withoutKey.length(); i++) {
      WatchList list = withoutKey.get(i);
      if (list != null) {
        visitor.accept(list);
      }
    }
    strays.forEach(visitor);
  }

  /** Returns the current map, for tests. */
  Object map() {
    return maps.current;
  }

  /** Returns the number of cleared waiters on all lists. */
  long clearedButWatched() {
    long gone = removed.sum(); // first: what is counted meanwhile makes the difference greater
    return cleared.sum() - gone;
  }

  /**
   * Returns the total size of the lists, without waiters that are alone on a key.
   *
   * @return 0 or more, including cleared waiters; exact while nothing is added or removed
   */
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

  /**
   * Returns the number of keys that have a list.
   *
   * @return 0 or more; exact while nothing is added or removed
   */
  public int keys() {
    return inMaps() + strays.size();
  }

  private int inMaps() {
    Maps<K> seen = maps;
    return seen.current.size() + (seen.older == null ? 0 : seen.older.size());
  }
}
