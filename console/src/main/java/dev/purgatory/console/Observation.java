package dev.purgatory.console;

import dev.purgatory.Diagnostics;
import dev.purgatory.HeldRequest;
import dev.purgatory.Outcome;
import dev.purgatory.Purgatory;
import dev.purgatory.PurgatorySnapshot;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A purgatory of this JVM at a moment. The distributions are counts since the start, by the
 * greatest value of a bucket: what happened between two observations is their difference.
 *
 * @param nanos the time, in nanoseconds
 * @param reading its numbers
 * @param walk what its watch lists held; may be from an earlier moment
 * @param missed the missed signals by key
 * @param checks the distribution of checks per completion
 * @param lateNanos the distribution of the lateness of timeouts, in nanoseconds
 * @param heldNanos the distribution of the time held, with any outcome, in nanoseconds
 */
record Observation(
    long nanos,
    PurgatoryReading reading,
    Walk walk,
    Map<Object, Long> missed,
    SortedMap<Long, Long> checks,
    SortedMap<Long, Long> lateNanos,
    SortedMap<Long, Long> heldNanos) {

  /** With more, they are counted and not listed: listing makes an object for each. */
  private static final int MOST_LISTED = 10_000;

  private static final int MOST_KEYS = 100;

  /** A walk rests for this many times as long as it took: it visits each entry of all lists. */
  private static final int REST = 99;

  /**
   * What the watch lists of a purgatory hold.
   *
   * @param restUntil when to walk again, in nanoseconds
   * @param oldest how long the oldest request has been held; null if none is
   * @param keys the number of keys
   * @param waiters the held requests of the keys that have most, the busiest key first
   * @param requests the held requests, the oldest first; null if there are too many to list
   */
  record Walk(
      long restUntil,
      @Nullable Duration oldest,
      int keys,
      Map<?, Integer> waiters,
      @Nullable List<? extends HeldRequest<?>> requests) {

    private static <K> Walk of(Purgatory<K> purgatory, long nanos) {
      long start = System.nanoTime();
      PurgatorySnapshot<K> snapshot = purgatory.snapshot(MOST_KEYS);
      List<HeldRequest<K>> requests = snapshot.pending() > MOST_LISTED ? null : purgatory.held();
      long took = System.nanoTime() - start;
      return new Walk(
          nanos + REST * took, snapshot.oldest(), snapshot.keys(), snapshot.busiest(), requests);
    }
  }

  /**
   * Observes a purgatory.
   *
   * @param last the last observation of it, whose walk may be used again; null if there is none
   * @param nanos the time
   */
  static Observation of(Purgatory<?> purgatory, @Nullable Observation last, long nanos) {
    Walk walk =
        last == null || nanos - last.walk.restUntil >= 0 ? Walk.of(purgatory, nanos) : last.walk;
    Diagnostics diagnostics = purgatory.diagnostics();
    SortedMap<Long, Long> none = Collections.emptySortedMap();
    SortedMap<Long, Long> held = new TreeMap<>();
    if (diagnostics != null) {
      for (Outcome outcome : Outcome.values()) {
        diagnostics
            .heldNanos(outcome)
            .buckets()
            .forEach((bucket, count) -> held.merge(bucket, count, Long::sum));
      }
    }
    return new Observation(
        nanos,
        PurgatoryReading.of(purgatory, walk.oldest),
        walk,
        diagnostics == null ? Map.of() : diagnostics.missedSignals(),
        diagnostics == null ? none : diagnostics.checksPerCompletion().buckets(),
        diagnostics == null ? none : diagnostics.lateNanos().buckets(),
        held);
  }

  /** Returns what was counted since an earlier observation; all of it if that is null. */
  static SortedMap<Long, Long> since(
      @Nullable SortedMap<Long, Long> earlier, SortedMap<Long, Long> now) {
    SortedMap<Long, Long> difference = new TreeMap<>();
    now.forEach(
        (bucket, count) -> {
          long more = count - (earlier == null ? 0 : earlier.getOrDefault(bucket, 0L));
          if (more > 0) { // not after a reset
            difference.put(bucket, more);
          }
        });
    return difference;
  }

  /** Returns the sum of the counts. */
  static long total(Map<?, Long> counts) {
    return counts.values().stream().mapToLong(Long::longValue).sum();
  }

  /** Returns the median; 0 if nothing was counted. */
  static long median(SortedMap<Long, Long> counts) {
    long left = (total(counts) + 1) / 2;
    for (Map.Entry<Long, Long> bucket : counts.entrySet()) {
      left -= bucket.getValue();
      if (left <= 0) {
        return bucket.getKey();
      }
    }
    return 0;
  }

  /** Returns the same without the requests, which it would keep reachable. */
  Observation withoutRequests() {
    Walk counted = new Walk(walk.restUntil, walk.oldest, walk.keys, walk.waiters, null);
    return new Observation(nanos, reading, counted, missed, checks, lateNanos, heldNanos);
  }

  /** Returns the held requests, the oldest first; none if there are too many to list. */
  List<? extends HeldRequest<?>> requests() {
    return walk.requests == null ? List.of() : walk.requests;
  }

  /** Returns the time limit that most of the listed requests have; null if none has one. */
  @Nullable Duration usualLimit() {
    Map<Long, Integer> counts = new HashMap<>();
    for (HeldRequest<?> each : requests()) {
      Duration left = each.timeLeft();
      if (left != null) {
        counts.merge(each.heldFor().plus(left).toMillis(), 1, Integer::sum);
      }
    }
    return counts.entrySet().stream()
        .max(Map.Entry.comparingByValue())
        .map(each -> Duration.ofMillis(each.getKey()))
        .orElse(null);
  }

  /** Returns how long the oldest request of each key has been held, of the listed requests. */
  Map<Object, Duration> oldestByKey() {
    Map<Object, Duration> oldest = new HashMap<>();
    for (HeldRequest<?> each : requests()) {
      for (Object key : each.keys()) {
        oldest.putIfAbsent(key, each.heldFor()); // the oldest request comes first
      }
    }
    return oldest;
  }
}
