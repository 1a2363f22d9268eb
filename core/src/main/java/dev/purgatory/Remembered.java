package dev.purgatory;

import dev.purgatory.timer.Timeout;
import dev.purgatory.wheel.WheelTimer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A table whose entries stay for a limited time, and of which at most so many are timed.
 * Thread-safe.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 */
final class Remembered<K, V> {

  /*
   * An entry leaves the map once: removed by a caller, or by its timeout. It is NEW until its time begins,
   * TIMED then, and GONE once it has left.
   *
   * Time and removal race. The thread that begins the time sets TIMED, writes `timeout`, then reads the state.
   * The thread that removes the entry sets GONE, then reads `timeout`. So one of them cancels the timeout.
   *
   * An entry is put into the map, and asks when its time begins whether the purgatory is closed, which then
   * forgets all entries. So none stays that was added or timed behind that.
   *
   * `timed` counts the entries between TIMED and GONE. An entry is counted before it is TIMED.
   */

  private static final int NEW = 0;
  private static final int TIMED = 1;
  private static final int GONE = 2;

  private final Core<?> core;
  private final long nanos;
  private final int most;
  private final Map<K, Entry> entries = new ConcurrentHashMap<>();
  private final AtomicInteger timed = new AtomicInteger();

  /**
   * Creates an empty table.
   *
   * @param nanos how long entries stay
   * @param most how many entries are timed at most
   */
  Remembered(Core<?> core, long nanos, int most) {
    this.core = core;
    this.nanos = nanos;
    this.most = most;
  }

  /** A key with its value, once in the table. */
  final class Entry implements Runnable {
    private final K key;
    private final V value;
    private final AtomicInteger state = new AtomicInteger(NEW);
    private volatile long deadline = Long.MAX_VALUE;
    private volatile @Nullable Timeout timeout;

    private Entry(K key, V value) {
      this.key = key;
      this.value = value;
    }

    V value() {
      return value;
    }

    /** Returns the nanoseconds since its time began; 0 if it did not. */
    long age() {
      long end = deadline;
      return end == Long.MAX_VALUE ? 0 : Math.max(0, core.now() - (end - nanos));
    }

    /**
     * Begins the time of an entry, unless that has begun.
     *
     * @return false if the table is full or the purgatory closed, and this call removed the entry
     */
    boolean begin() {
      if (timed.incrementAndGet() <= most) {
        return begin(WheelTimer.deadline(core.now(), nanos));
      }
      timed.decrementAndGet();
      return !remove();
    }

    private boolean begin(long end) {
      if (!state.compareAndSet(NEW, TIMED)) {
        timed.decrementAndGet();
        return true;
      }
      if (core.isClosed()) {
        return !remove();
      }
      deadline = end;
      try {
        timeout = core.timer().scheduleAt(this, end);
      } catch (IllegalStateException e) {
        return !remove(); // the timer is closed
      } catch (Throwable e) { // there is no thread or no memory
        remove();
        throw e;
      }
      if (state.get() == GONE) {
        cancelTimeout();
      }
      return true;
    }

    /** Removes the entry; returns false if it was removed before. */
    boolean remove() {
      boolean removed = entries.remove(key, this);
      if (removed) {
        if (state.getAndSet(GONE) == TIMED) {
          timed.decrementAndGet();
        }
        cancelTimeout();
      }
      return removed;
    }

    private void cancelTimeout() {
      Timeout set = timeout;
      if (set != null) {
        set.cancel();
      }
    }

    /** Its time is over. */
    @Override
    public void run() {
      remove();
    }
  }

  /** Creates an entry that is not in the table yet. */
  Entry entry(K key, V value) {
    return new Entry(key, value);
  }

  /**
   * Adds an entry, whose time has not begun.
   *
   * @return the entry with its key that is there already, or null
   */
  @Nullable Entry putIfAbsent(Entry entry) {
    try {
      return entries.putIfAbsent(entry.key, entry);
    } catch (OutOfMemoryError e) {
      entry.remove(); // it may be in the table, and its time would never begin
      throw e;
    }
  }

  /**
   * Adds an entry with the value and the deadline of one that was removed, even to a full table.
   *
   * @return false if there is an entry with its key, or the timer is closed
   */
  boolean putBack(Entry removed) {
    Entry again = new Entry(removed.key, removed.value);
    if (putIfAbsent(again) != null) {
      return false;
    }
    timed.incrementAndGet();
    long latest = WheelTimer.deadline(core.now(), nanos); // its time may not have begun
    return again.begin(Math.min(removed.deadline, latest));
  }

  @Nullable Entry get(K key) {
    return entries.get(key);
  }

  /** Removes all entries. */
  void clear() {
    entries.values().forEach(Entry::remove);
  }
}
