package dev.purgatory.console;

import dev.purgatory.Purgatory;
import dev.purgatory.threads.TimerInternals;
import dev.purgatory.timer.Timer;
import dev.purgatory.wheel.BucketContent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * Describes the timing wheels of timers as rings, one for each level with entries. Not thread-safe.
 */
final class Rings {

  /** A ring with more buckets is shown with several in each arc. */
  private static final int MOST_ARCS = 128;

  /** Reading visits each bucket, so the pause after it is this many times its length. */
  private static final int REST = 99;

  private static final double NANOS_PER_MILLI = 1e6;

  /** The last reading of a timer, until it is read again. */
  private record Seen(long restUntil, Map<String, Object> rings) {}

  private final Map<Timer, Seen> last = new HashMap<>();

  /**
   * Describes the timers of purgatories, each with the names of its purgatories.
   *
   * @param nanos the time; a reading that is younger than a moment is returned again
   */
  List<Map<String, Object>> sample(List<Purgatory<?>> purgatories, long nanos) {
    Map<Timer, List<String>> users = new LinkedHashMap<>();
    purgatories.forEach(
        each -> users.computeIfAbsent(each.timer(), timer -> new ArrayList<>()).add(each.name()));
    List<Map<String, Object>> timers = new ArrayList<>();
    users.forEach(
        (timer, names) -> {
          Map<String, Object> described = new LinkedHashMap<>(seen(timer, nanos).rings);
          described.put("purgatories", names);
          timers.add(described);
        });
    return timers;
  }

  private Seen seen(Timer timer, long nanos) {
    Seen seen = last.get(timer);
    if (seen == null || nanos - seen.restUntil >= 0) {
      long start = System.nanoTime();
      Map<String, Object> rings = describe(timer, Map.of());
      seen = new Seen(nanos + REST * (System.nanoTime() - start), rings);
      last.put(timer, seen);
    }
    return seen;
  }

  /** Forgets the readings. */
  void forget() {
    last.clear();
  }

  /**
   * Describes a timer. Times are on its clock, in milliseconds.
   *
   * @param names those of entries that are shown in their buckets
   */
  static Map<String, Object> describe(Timer timer, Map<?, String> names) {
    long now = timer.now();
    long nextDue = timer.nextDue();
    List<Map<String, Object>> levels = new ArrayList<>();
    for (WheelLevel each : WheelLevel.of(timer, names.size())) {
      levels.add(level(each, now, nextDue, names));
    }
    Map<String, Object> rings = new LinkedHashMap<>();
    rings.put("nowMillis", now / NANOS_PER_MILLI);
    if (nextDue != Long.MAX_VALUE) {
      rings.put("nextDueMillis", nextDue / NANOS_PER_MILLI);
    }
    rings.put("scheduled", timer.size());
    rings.put("kept", TimerInternals.of(timer).wheels().retained());
    rings.put("levels", levels);
    return rings;
  }

  private static Map<String, Object> level(
      WheelLevel level, long now, long nextDue, Map<?, String> names) {
    long span = Math.max(1, level.bucketNanos());
    int slots = level.resolution() == 0 ? 1 : 2 * level.wheelSize(); // due entries have no ring
    int arcs = Math.min(slots, MOST_ARCS);
    Map<Integer, BucketContent> contents = new TreeMap<>();
    for (BucketContent each : level.buckets()) {
      contents.merge(arc(each.start(), span, slots, arcs), each, BucketContent::plus);
    }
    List<Map<String, Object>> buckets = new ArrayList<>();
    contents.forEach((arc, content) -> buckets.add(bucket(arc, content, nextDue, names)));
    Map<String, Object> described = new LinkedHashMap<>();
    described.put("level", level.number());
    described.put("tickMillis", level.tickNanos() / NANOS_PER_MILLI);
    described.put("wheelSize", level.wheelSize());
    described.put("bucketMillis", level.bucketNanos() / NANOS_PER_MILLI);
    described.put("slots", slots);
    described.put("arcs", arcs);
    described.put("nowArc", arc(now, span, slots, arcs));
    described.put("pending", level.pending());
    described.put("ended", level.ended());
    described.put("buckets", buckets);
    return described;
  }

  private static int arc(long time, long span, int slots, int arcs) {
    return (int) (time / span % slots) / (slots / arcs);
  }

  private static Map<String, Object> bucket(
      int arc, BucketContent content, long nextDue, Map<?, String> names) {
    Map<String, Object> bucket = new LinkedHashMap<>();
    bucket.put("arc", arc);
    bucket.put("startMillis", content.start() / NANOS_PER_MILLI);
    bucket.put("visitMillis", content.visit() / NANOS_PER_MILLI);
    bucket.put("moving", content.isSplitting());
    bucket.put("next", content.visit() <= nextDue);
    bucket.put("pending", content.pending());
    bucket.put("ended", content.ended());
    bucket.put(
        "tasks",
        content.entries().stream().map(names::get).filter(Objects::nonNull).sorted().toList());
    return bucket;
  }
}
