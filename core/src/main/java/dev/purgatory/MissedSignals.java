package dev.purgatory;

import dev.purgatory.base.ForeignText;
import dev.purgatory.base.LastResort;
import dev.purgatory.base.Mutex;
import dev.purgatory.timer.Timer;
import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Counts missed signals by key, for a bounded number of keys. Thread-safe. */
final class MissedSignals {

  /*
   * Space saving, by Metwally, Agrawal and El Abbadi: while all counters are in use, a new key takes the
   * counter of the key with the fewest misses, which a look at all finds, and counts on from there. What the
   * counter had then is its error. So a key with more than a thousandth of all misses has a counter, and no error is greater than
   * that. Callers get the count without the error, which is never too large. A map that is full and refuses
   * new keys would hide the worst key behind a thousand that were missed once.
   *
   * `byKey` is in the order of the last miss, so the keys to forget are its first ones. They are forgotten
   * when somebody counts, reads, or ends a request: an alarm would wake an idle timer. `oldest` is read
   * without the lock, to see whether there is something to forget; it may be stale, which delays that.
   *
   * Purgatories on different timers can share this, and the times of different timers cannot be compared. So
   * the timer of the first purgatory gives the time for all.
   *
   * `equals` of keys and the ticker run with the lock held, and must not block or call back, as everywhere
   * else. Keys hash before the lock is taken, and only then. If `equals` throws, the keys count as different.
   */

  private static final LastResort KEY_THREW =
      LastResort.handler("A key threw: its missed signals are not returned");

  private static final int MOST_KEYS = 1000;
  private static final long KEPT_NANOS = TimeUnit.HOURS.toNanos(1);

  private final AtomicReference<@Nullable Timer> timer = new AtomicReference<>();
  private final Mutex lock = new Mutex();

  // Guarded by the lock.
  private final Map<Counter, Counter> byKey =
      new LinkedHashMap<>(16, 0.75f, /* accessOrder= */ true);

  /** The counter whose last miss is the longest ago; null if there is none. */
  private volatile @Nullable Counter oldest;

  /** The misses of a key. It is also what the key is found by. */
  private static final class Counter {
    private final int hash;
    private Object key;
    private long count;
    private long error;

    private volatile long lastNanos;

    Counter(Object key) {
      this.key = key;
      this.hash = key.hashCode();
    }

    @Override
    public int hashCode() {
      return hash;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      if (this == other) {
        return true;
      }
      try {
        return other instanceof Counter counter && hash == counter.hash && key.equals(counter.key);
      } catch (Throwable e) {
        return false; // not logged: a logger must not run with the lock held
      }
    }
  }

  /**
   * A number that a request waits for. All thresholds of a key are counted together, under the
   * highest one: a server that counts offsets has a new threshold for each request.
   */
  record Threshold(Object key, long number) {
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Threshold threshold && key.equals(threshold.key);
    }

    @Override
    public int hashCode() {
      return ~key.hashCode();
    }

    @Override
    public String toString() {
      return "threshold " + number + " of " + ForeignText.of(key);
    }
  }

  /** Takes the time from a timer, unless there is one already. */
  void use(Timer first) {
    timer.compareAndSet(null, first);
  }

  private boolean isOld(Counter counter) {
    Timer clock = timer.get();
    return clock != null && clock.now() - counter.lastNanos >= KEPT_NANOS;
  }

  /**
   * Counts a miss.
   *
   * @param key a key, a {@link Threshold} or a key group
   * @throws RuntimeException if the key's {@code hashCode} throws; then nothing was counted
   */
  void count(Object key) {
    Counter added = new Counter(key);
    Timer clock = timer.get();
    long now = clock == null ? 0 : clock.now();
    lock.lock();
    try {
      forgetWhileLocked();
      Counter found = byKey.get(added); // makes it the last one
      if (found == null) {
        found = added;
        takePlace(added);
      } else {
        found.key = higher(found.key, key);
      }
      found.count++;
      found.lastNanos = now;
      forgetWhileLocked(); // finds the oldest again
    } finally {
      lock.unlock();
    }
  }

  private void takePlace(Counter added) {
    if (byKey.size() == MOST_KEYS) {
      Counter least = Collections.min(byKey.keySet(), Comparator.comparingLong(each -> each.count));
      byKey.remove(least);
      added.count = least.count;
      added.error = least.count;
    }
    byKey.put(added, added);
  }

  private static Object higher(Object former, Object key) {
    return former instanceof Threshold before
            && key instanceof Threshold now
            && now.number > before.number
        ? now
        : former;
  }

  /** Forgets the keys without a miss for an hour. */
  void forget() {
    Counter first = oldest;
    if (first != null && isOld(first)) {
      lock.lock();
      try {
        forgetWhileLocked();
      } finally {
        lock.unlock();
      }
    }
  }

  private void forgetWhileLocked() {
    Iterator<Counter> inOrder = byKey.keySet().iterator();
    Counter first;
    while ((first = inOrder.hasNext() ? inOrder.next() : null) != null && isOld(first)) {
      inOrder.remove();
    }
    oldest = first;
  }

  /** Forgets all keys. */
  void reset() {
    lock.lock();
    try {
      byKey.clear();
      oldest = null;
    } finally {
      lock.unlock();
    }
  }

  /** Returns the number of misses by key, the greatest first; a copy. */
  Map<Object, Long> counts() {
    forget();
    List<Map.Entry<Object, Long>> found;
    lock.lock();
    try {
      found =
          byKey.keySet().stream()
              .map(each -> Map.entry(each.key, each.count - each.error))
              .toList();
    } finally {
      lock.unlock();
    }
    Map<Object, Long> counts = new LinkedHashMap<>();
    found.stream()
        .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
        .forEach(each -> put(counts, each.getKey(), each.getValue()));
    return Collections.unmodifiableMap(counts);
  }

  private static void put(Map<Object, Long> counts, Object key, long count) {
    try {
      counts.merge(key, count, Long::sum);
    } catch (Throwable e) {
      KEY_THREW.accept(e);
    }
  }
}
