package dev.purgatory.console;

import dev.purgatory.Diagnostics;
import dev.purgatory.Diagnostics.Checks;
import dev.purgatory.HeldRequest;
import dev.purgatory.Limit;
import dev.purgatory.Outcome;
import dev.purgatory.Purgatory;
import dev.purgatory.PurgatorySnapshot;
import java.time.Duration;
import java.util.ArrayList;
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
 * @param limits how much of the limits of the purgatory is used
 */
record Observation(
    long nanos,
    PurgatoryReading reading,
    Walk walk,
    Map<Object, Long> missed,
    SortedMap<Long, Long> checks,
    SortedMap<Long, Long> lateNanos,
    SortedMap<Long, Long> heldNanos,
    List<Use> limits) {

  /** With more, they are counted and not listed: listing makes an object for each. */
  private static final int MOST_LISTED = 10_000;

  private static final int MOST_KEYS = 100;

  /** A walk visits each entry of all lists, so the pause after it is this many times its length. */
  private static final int REST = 99;

  /**
   * How much of a limit is used.
   *
   * @param limit its name
   * @param unit the unit of the counts
   * @param used how much of it is used
   * @param most what can be used
   */
  record Use(String limit, String unit, long used, long most) {

    private static List<Use> of(Purgatory<?> purgatory) {
      List<Use> uses = new ArrayList<>();
      for (Limit each : purgatory.inspect().limits()) {
        uses.add(new Use(each.name(), "requests", each.requests(), each.mostRequests()));
        uses.add(new Use(each.name(), "units of weight", each.weight(), each.mostWeight()));
      }
      return uses;
    }
  }

  /**
   * What the watch lists of a purgatory hold.
   *
   * @param nanos when it was walked
   * @param restUntil when to walk again, in nanoseconds
   * @param oldest how long the oldest request has been held; null if none is
   * @param keys the number of keys
   * @param waiters the held requests of the keys that have most, the busiest key first
   * @param requests the held requests, the oldest first; null if there are too many to list
   * @param checks the checks of these requests so far, in their order; null for unknown ones; empty
   *     without diagnostics
   */
  record Walk(
      long nanos,
      long restUntil,
      @Nullable Duration oldest,
      int keys,
      Map<?, Integer> waiters,
      @Nullable List<? extends HeldRequest<?>> requests,
      List<@Nullable Checks> checks) {

    private static <K> Walk of(Purgatory<K> purgatory, long nanos) {
      long start = System.nanoTime();
      PurgatorySnapshot<K> snapshot = purgatory.inspect().snapshot(MOST_KEYS);
      List<HeldRequest<K>> requests =
          purgatory.pending() > MOST_LISTED ? null : purgatory.inspect().held();
      Diagnostics diagnostics = purgatory.inspect().diagnostics();
      List<@Nullable Checks> checks = new ArrayList<>();
      if (diagnostics != null && requests != null) {
        requests.forEach(each -> checks.add(diagnostics.checks(each.operation())));
      }
      long took = System.nanoTime() - start;
      return new Walk(
          nanos,
          nanos + REST * took,
          snapshot.oldest(),
          purgatory.inspect().keys(),
          snapshot.busiest(),
          requests,
          checks);
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
    Diagnostics diagnostics = purgatory.inspect().diagnostics();
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
        held,
        Use.of(purgatory));
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

  /** Returns the same without requests and keys, which it would keep reachable. */
  Observation withoutKeys() {
    Walk none = new Walk(0, nanos, null, 0, Map.of(), null, List.of());
    return new Observation(nanos, reading, none, missed, checks, lateNanos, heldNanos, limits);
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

  /** Returns the last checks of the requests of each key, of the listed requests. */
  Map<Object, Checks> lastChecks() {
    Map<Object, Checks> last = new HashMap<>();
    for (int i = 0; i < walk.checks.size(); i++) {
      Checks checks = walk.checks.get(i);
      if (checks != null) {
        for (Object key : requests().get(i).keys()) {
          last.merge(
              key,
              checks,
              (one, two) -> one.sinceLast().compareTo(two.sinceLast()) <= 0 ? one : two);
        }
      }
    }
    return last;
  }

  /**
   * Returns the distribution of the checks of the requests that only signals check and that have
   * less than half their limit left.
   */
  SortedMap<Long, Long> checksOfOldRequests() {
    SortedMap<Long, Long> counts = new TreeMap<>();
    for (int i = 0; i < walk.checks.size(); i++) {
      HeldRequest<?> request = requests().get(i);
      Checks checks = walk.checks.get(i);
      if (checks != null
          && !checks.isPeriodic()
          && request.timeLeft() != null
          && request.timeLeft().compareTo(request.heldFor()) < 0) {
        counts.merge((long) checks.count(), 1L, Long::sum);
      }
    }
    return counts;
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
