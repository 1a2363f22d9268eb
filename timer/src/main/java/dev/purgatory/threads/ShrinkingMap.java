package dev.purgatory.threads;

import dev.purgatory.base.LastResort;
import dev.purgatory.base.StripedCounter;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.StampedLock;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A map for many threads whose table becomes small again after a burst of keys. Reading takes no
 * lock. Thread-safe.
 *
 * @param <K> the type of the keys, with constant {@code equals} and {@code hashCode}
 * @param <V> the type of the values
 */
public final class ShrinkingMap<K, V> {

  /*
   * The table of a ConcurrentHashMap never shrinks: after a burst, it keeps its memory, and each visit of all
   * entries walks it. So when far fewer entries are left than there were, a helper thread moves these to a
   * new map, one by one, while others use both.
   *
   * Nothing is added to the older map, and a thread that changes the entry of a key moves it first. A move holds the
   * lock of the entry's bin in the older map. It puts the entry into the current map, and then removes it
   * from the older one. So a reader that searches the current map, the older one, and the current one again
   * finds an entry wherever it is; and what it finds in the older map is not out of date.
   *
   * Changes hold `exchanging` for reading, so that no thread changes a map that is being left: two would
   * decide about the same key in two maps. The exchange takes it for writing, for a moment; the moves do
   * not. If it does not get it soon, because `equals` of a key blocks, it gives way and tries again later.
   *
   * An entry whose key throws stays in the older map until a later attempt succeeds. Until then, the maps
   * are not exchanged again.
   *
   * Rejected: moving entries with each change. The last removal of a burst would find more to move than one
   * call may take, and no other call may follow. A table of our own: it would need the protection from
   * equal hash codes that ConcurrentHashMap has.
   */

  /** Entries move when there were this many times more than are left. */
  private static final int SPARSE = 8;

  /** How many more there must have been, however few are left. */
  private static final int SMALL = 1024;

  /** The removals of one stripe of the counter per check of the sizes; a power of two. */
  private static final int REMOVALS_PER_CHECK = 64;

  private static final long LONGEST_EXCHANGE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Helpers helpers;
  private final StampedLock exchanging = new StampedLock();
  private final StripedCounter removed = new StripedCounter();
  private final AtomicBoolean shrinking = new AtomicBoolean();
  private volatile Maps<K, V> maps = new Maps<>(new ConcurrentHashMap<>(), null);

  /**
   * The most entries since the last exchange, as counted at each check: the table has room for so
   * many.
   */
  private final AtomicInteger most = new AtomicInteger();

  /** The maps that have the entries. */
  private static final class Maps<K, V> {
    final ConcurrentHashMap<K, V> current;

    /** Null unless entries are being moved from it. */
    final @Nullable ConcurrentHashMap<K, V> older;

    Maps(ConcurrentHashMap<K, V> current, @Nullable ConcurrentHashMap<K, V> older) {
      this.current = current;
      this.older = older;
    }

    @Nullable V find(K key) {
      V value = current.get(key);
      if (value == null && older != null) {
        value = older.get(key);
        return value == null ? current.get(key) : value;
      }
      return value;
    }

    /** Moves the entry of the key to the current map, if it is still in the older one. */
    void move(K key) {
      if (older != null) {
        older.computeIfPresent(
            key,
            (k, value) -> {
              current.putIfAbsent(k, value); // present after a failed attempt
              return null;
            });
      }
    }
  }

  /**
   * Creates an empty map.
   *
   * @param helpers the threads that move entries
   */
  public ShrinkingMap(Helpers helpers) {
    this.helpers = helpers;
  }

  /**
   * Returns the value of a key. Takes no lock.
   *
   * @param key the key
   * @return the value, or null
   */
  public @Nullable V get(K key) {
    for (; ; ) {
      Maps<K, V> seen = maps;
      V value = seen.find(key);
      if (value != null || seen == maps) { // else it may have been moved while we searched
        return value;
      }
    }
  }

  /**
   * Changes the entry of a key, as {@link ConcurrentHashMap#compute} does.
   *
   * @param key the key
   * @param change gets the key, and its value or null; returns the new value, or null for none.
   *     Must be short, and not use this map
   * @return the new value
   */
  public @Nullable V compute(
      K key, BiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> change) {
    V after;
    long stamp = exchanging.readLock();
    try {
      Maps<K, V> seen = maps;
      seen.move(key);
      after = seen.current.compute(key, change);
    } finally {
      exchanging.unlockRead(stamp);
    }
    if (after == null && (removed.add(1) & (REMOVALS_PER_CHECK - 1)) == 0) {
      shrinkIfSparse();
    }
    return after;
  }

  /**
   * Returns the value of a key, and creates it before if there is none.
   *
   * @param key the key
   * @param creation gets the key. Must be short, and not use this map
   * @return the value
   */
  public V computeIfAbsent(K key, Function<? super K, ? extends V> creation) {
    V found = get(key);
    if (found != null) {
      return found;
    }
    long stamp = exchanging.readLock();
    try {
      Maps<K, V> seen = maps;
      seen.move(key);
      return seen.current.computeIfAbsent(key, creation);
    } finally {
      exchanging.unlockRead(stamp);
    }
  }

  /**
   * Changes the value of a key, if there is one.
   *
   * @param key the key
   * @param change as for {@link #compute}
   */
  public void computeIfPresent(
      K key, BiFunction<? super K, ? super V, ? extends @Nullable V> change) {
    if (get(key) != null) {
      compute(key, (k, value) -> value == null ? null : change.apply(k, value));
    }
  }

  /**
   * Removes an entry.
   *
   * @param key the key
   * @param value the very object that must be its value; with another one, nothing is removed
   */
  public void remove(K key, V value) {
    computeIfPresent(key, (k, found) -> found == value ? null : found);
  }

  /**
   * Calls the visitor with each entry that exists during the whole call, perhaps several times, and
   * with some of the others. Takes no lock.
   *
   * @param visitor gets keys and values; may change the map
   */
  public void forEach(BiConsumer<? super K, ? super V> visitor) {
    Maps<K, V> seen;
    do {
      seen = maps;
      if (seen.older != null) { // first: what is moved meanwhile is found in the current one
        seen.older.forEach(visitor);
      }
      seen.current.forEach(visitor);
    } while (seen != maps); // entries may have been moved while we visited
  }

  /**
   * Returns the number of entries.
   *
   * @return 0 or more; exact while no other thread changes the map
   */
  public int size() {
    Maps<K, V> seen = maps;
    int size = seen.current.size();
    if (seen.older == null && seen == maps) {
      return size;
    }
    long stamp = exchanging.writeLock(); // an entry that is being moved is in both maps
    try {
      seen = maps;
      return seen.current.size() + (seen.older == null ? 0 : seen.older.size());
    } finally {
      exchanging.unlockWrite(stamp);
    }
  }

  /** Has the entries moved to a smaller map if this one has become far too large for them. */
  private void shrinkIfSparse() {
    if (isSparse() && !shrinking.get() && shrinking.compareAndSet(false, true)) {
      try {
        helpers.lane("purgatory-tables", 1).execute(this::shrink);
      } catch (Throwable e) {
        shrinking.set(false); // no memory: a later removal tries again
        LastResort.log("A table cannot become smaller", e);
      }
    }
  }

  private boolean isSparse() {
    int size = maps.current.size();
    return most.accumulateAndGet(size, Math::max) > (long) SPARSE * size + SMALL;
  }

  private void shrink() {
    boolean exchanged = false;
    try {
      exchanged = exchange();
      if (exchanged) {
        moveAll();
      }
    } catch (Throwable e) {
      LastResort.log("A table cannot become smaller", e);
    } finally {
      shrinking.set(false);
    }
    if (exchanged) {
      shrinkIfSparse(); // entries were removed meanwhile
    } else {
      helpers.lookAfter(REST_NANOS, this::shrinkIfSparse);
    }
  }

  /** Returns whether there are entries to move: of the map that was current, or left before. */
  private boolean exchange() throws InterruptedException {
    if (maps.older != null) {
      most.set(maps.current.size());
      return true;
    }
    Maps<K, V> next = new Maps<>(new ConcurrentHashMap<>(), maps.current);
    long stamp = exchanging.tryWriteLock(LONGEST_EXCHANGE_NANOS, TimeUnit.NANOSECONDS);
    if (stamp == 0) {
      return false;
    }
    try {
      most.set(maps.current.size());
      maps = next;
      return true;
    } finally {
      exchanging.unlockWrite(stamp);
    }
  }

  private void moveAll() {
    Maps<K, V> moving = maps;
    boolean movedAll = true;
    if (moving.older != null) {
      for (K key : moving.older.keySet()) {
        movedAll &= move(moving, key);
      }
    }
    if (movedAll) { // the size of the older map may lag behind
      maps = new Maps<>(moving.current, null);
    }
  }

  private boolean move(Maps<K, V> moving, K key) {
    long stamp = exchanging.readLock(); // for size()
    try {
      moving.move(key);
      return true;
    } catch (OutOfMemoryError e) {
      throw e; // a later attempt continues
    } catch (Throwable e) {
      LastResort.log("A key threw: its table stays large", e);
      return false;
    } finally {
      exchanging.unlockRead(stamp);
    }
  }

  /**
   * Returns the current table, for tests.
   *
   * @return an object that changes when the entries move
   */
  public Object table() {
    return maps.current;
  }
}
