package dev.purgatory.base;

import static java.util.Objects.requireNonNull;

import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A map for many threads whose table becomes small again after a burst of keys. Takes no lock. A
 * value ends before it is removed: it is <i>retired</i> then, and as good as absent. Thread-safe.
 *
 * @param <K> the type of the keys, with constant {@code equals} and {@code hashCode}
 * @param <V> the type of the values, which are compared by identity
 */
public final class ShrinkingMap<K, V> {

  /*
   * The table of a ConcurrentHashMap never shrinks: after a burst, it keeps its memory, and each visit of all
   * entries walks it. So when far fewer entries are left than there were, one thread exchanges the map for a
   * new one, and moves the entries from the older to the current map, one by one, while others use both.
   *
   * A move runs inside `compute` of the current map. It reads the older map there, takes a value that is not
   * retired, and removes it from the older map afterwards. So a reader that searches the current map, the older one, and
   * the current one again finds an entry wherever it is. A value that is retired before it is removed does not
   * come back: a later move does not take it, and the removal waits for an earlier one at the bin of its key.
   *
   * A thread may read `maps`, and come to the map after another thread has exchanged it. So each method reads `maps`
   * again at its end, and starts over if they have changed. An entry counts as added from the last look: only then is
   * the thread that moves all entries sure to find it. Nobody uses the value before that, except readers. If the key turns
   * out to have another value, the entry was added to the older map after that value had moved, and is removed: nobody would
   * retire it, and it would become the value of the key later.
   *
   * A key may begin to throw. Its entry can then be neither removed nor moved. The first makes the map `stuck`, and
   * the next exchange leaves the retired entry behind. The second makes the entry a stray, which only visitors
   * reach.
   *
   * Rejected: moving entries with each change. The last removal of a burst would find more to move than one
   * call may take, and no other call may follow. A table of our own: it would need the protection from
   * equal hash codes that ConcurrentHashMap has.
   */

  private static final LastResort NOT_SMALLER = LastResort.handler("A table cannot become smaller");
  private static final LastResort KEY_THREW =
      LastResort.handler("A key threw: its entry can no longer be found by it");

  /** Entries move when there were this many times more than are left. */
  private static final int SPARSE = 8;

  /** How many more there must have been, however few are left. */
  private static final int SMALL = 1024;

  /** Check the sizes after this many removals per counter cell; a power of two. */
  private static final int REMOVALS_PER_CHECK = 64;

  private final Executor mover;
  private final Predicate<? super V> isRetired;
  private final StripedCounter removed = new StripedCounter();
  private final Queue<V> strays = new ConcurrentLinkedQueue<>();

  /** Set while a thread exchanges the maps and moves the entries, or is to do so. */
  private final AtomicBoolean shrinking = new AtomicBoolean();

  private volatile Maps<K, V> maps = new Maps<>(new ConcurrentHashMap<>(), null);

  /** An entry could not be removed. */
  private volatile boolean stuck;

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
  }

  /**
   * Creates an empty map.
   *
   * @param mover runs the moves
   * @param isRetired returns whether a value has ended; once true, it stays true
   */
  public ShrinkingMap(Executor mover, Predicate<? super V> isRetired) {
    this.mover = mover;
    this.isRetired = isRetired;
  }

  /**
   * Returns the value of a key. Takes no lock.
   *
   * @param key the key
   * @return the value, which may be retired; null if there is none
   */
  public @Nullable V get(K key) {
    for (; ; ) {
      Maps<K, V> seen = maps;
      V value = seen.current.get(key);
      if (value == null && seen.older != null) {
        value = inOlder(seen.older, key);
        value = value == null ? seen.current.get(key) : value;
      }
      if (seen == maps) {
        return value;
      }
    }
  }

  /**
   * Adds a value, unless the key has one.
   *
   * @param key the key
   * @param value its value
   * @return the value of the key now. A caller that finds a retired one removes it, and tries again
   */
  public V putIfAbsent(K key, V value) {
    for (; ; ) {
      Maps<K, V> seen = maps;
      V found = seen.older == null ? seen.current.putIfAbsent(key, value) : move(seen, key, value);
      if (seen == maps) {
        return found == null ? value : found;
      }
    }
  }

  /**
   * Returns the value of a key, and adds one if there is none.
   *
   * @param key the key
   * @param creation makes a value, which another one may replace before anybody sees it
   * @return the value of the key now, as with {@link #putIfAbsent}
   */
  public V computeIfAbsent(K key, Function<? super K, ? extends V> creation) {
    Maps<K, V> seen = maps;
    V found = seen.current.get(key); // not in the older map: what is added there may get lost
    return found != null && seen == maps ? found : putIfAbsent(key, creation.apply(key));
  }

  /**
   * Removes an entry, unless the key has another value.
   *
   * @param key the key
   * @param value is retired
   */
  public void remove(K key, V value) {
    boolean isRemoved = false;
    try {
      Maps<K, V> seen;
      do {
        seen = maps;
        isRemoved |= seen.current.remove(key, value);
        isRemoved |= seen.older != null && seen.older.remove(key, value);
      } while (seen != maps); // it may have been moved
    } catch (Throwable e) {
      stuck = true;
      shrinkSoon();
      throw e;
    }
    if (isRemoved && (removed.add(1) & (REMOVALS_PER_CHECK - 1)) == 0) {
      shrinkSoon();
    }
  }

  /** Returns the value in the older map, or null. */
  private @Nullable V inOlder(ConcurrentHashMap<K, V> older, K key) {
    V value = older.get(key);
    return value == null || isRetired.test(value) ? null : value;
  }

  /**
   * Moves the entry of a key to the current map, if it is still in the older one.
   *
   * @param other is added to the current map if the key is in none; may be null
   * @return the value in the current map
   */
  private @Nullable V move(Maps<K, V> seen, K key, @Nullable V other) {
    ConcurrentHashMap<K, V> older = requireNonNull(seen.older);
    V found =
        seen.current.compute(
            key,
            (k, present) -> {
              if (present != null) {
                if (other != null) {
                  older.remove(k, other); // added too late to be moved
                }
                return present;
              }
              V value = inOlder(older, k);
              return value == null ? other : value;
            });
    if (found != null) {
      older.remove(key, found);
    }
    return found;
  }

  /**
   * Calls the visitor with each entry that exists during the whole call, perhaps several times, and
   * with some of the others. Takes no lock.
   *
   * @param visitor gets keys and values, retired ones among them; may change the map
   */
  public void forEach(BiConsumer<? super K, ? super V> visitor) {
    Maps<K, V> seen;
    do {
      seen = maps;
      if (seen.older != null) { // first: what moves during the visit is found in the current one
        seen.older.forEach(visitor);
      }
      seen.current.forEach(visitor);
    } while (seen != maps); // entries may have been moved while we visited
  }

  /**
   * Calls the visitor with each value that no key leads to, because its key has thrown.
   *
   * @param visitor gets values, retired ones among them
   */
  public void forEachStray(Consumer<? super V> visitor) {
    strays.forEach(visitor);
  }

  /**
   * Returns the number of entries.
   *
   * @return 0 or more; exact while no other thread changes the map or moves an entry
   */
  public int size() {
    Maps<K, V> seen = maps;
    int older = seen.older == null ? 0 : seen.older.size();
    return older + seen.current.size() + strays.size();
  }

  /** Begins to move the entries to a smaller map if this one has become far too large for them. */
  private void shrinkSoon() {
    if (isSparse() && !shrinking.get() && shrinking.compareAndSet(false, true)) {
      try {
        mover.execute(this::shrink);
      } catch (Throwable e) {
        shrinking.set(false); // no memory: a later removal tries again
        NOT_SMALLER.accept(e);
      }
    }
  }

  /**
   * Drops what is retired and could not be removed, and continues a move that has failed. For
   * callers that come by now and then.
   */
  public void tidy() {
    strays.removeIf(isRetired);
    shrinkSoon();
  }

  private boolean isSparse() {
    Maps<K, V> seen = maps;
    int size = seen.current.size();
    return most.accumulateAndGet(size, Math::max) > (long) SPARSE * size + SMALL
        || stuck
        || seen.older != null; // the last move found no memory
  }

  private void shrink() {
    try {
      strays.removeIf(isRetired);
      boolean again = maps.older != null;
      Maps<K, V> moving = again ? maps : exchange();
      requireNonNull(moving.older).forEach((key, value) -> moveOne(moving, key, value, again));
      maps = new Maps<>(moving.current, null);
    } catch (Throwable e) {
      NOT_SMALLER.accept(e);
      return;
    } finally {
      shrinking.set(false);
    }
    shrinkSoon(); // entries were removed during the exchange
  }

  private Maps<K, V> exchange() {
    Maps<K, V> next = new Maps<>(new ConcurrentHashMap<>(), maps.current);
    stuck = false;
    most.set(maps.current.size());
    maps = next;
    return next;
  }

  private void moveOne(Maps<K, V> moving, K key, V value, boolean again) {
    try {
      if (!isRetired.test(value)) {
        move(moving, key, null);
      }
    } catch (OutOfMemoryError e) {
      throw e; // a later attempt continues
    } catch (Throwable e) {
      if (!again || !strays.contains(value)) {
        strays.add(value);
      }
      KEY_THREW.accept(e);
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
