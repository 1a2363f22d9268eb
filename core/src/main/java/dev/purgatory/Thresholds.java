package dev.purgatory;

import static java.util.Objects.requireNonNull;

import dev.purgatory.base.Headroom;
import dev.purgatory.threads.ShrinkingMap;
import java.lang.invoke.VarHandle;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Numbers that only grow, such as the offsets that replicas have reached, and requests that wait
 * until they reach a threshold. Thread-safe.
 *
 * <pre>{@code
 * Purgatory<String> reads = Purgatory.builder("reads").build();
 * Thresholds<String> applied = new Thresholds<>(reads);
 *
 * HeldFuture<Long> readYourWrites(String partition, long offset) {
 *   return applied.reach(partition, offset).orTimeout(Duration.ofSeconds(5)).hold();
 * }
 *
 * void onApplied(String partition, long offset) {
 *   applied.advance(partition, offset);
 * }
 * }</pre>
 *
 * <p>Requests are ordered by their threshold. {@link #advance} evaluates only the requests whose
 * threshold it reaches, the lowest first, in O(log n) for each; requests that wait for more cost
 * nothing. A signal on an ordinary key evaluates every request on that key.
 *
 * <p>A request can wait for several thresholds, for some of several, and for ordinary keys as well:
 * see {@link #reach(int, Map)} and {@link Hold#reaching}.
 *
 * @param <K> the type of the keys, with constant {@code equals} and {@code hashCode}
 */
public final class Thresholds<K> {

  /*
   * Each key has a level: its number, and the marks of the requests that wait for it, ordered by their
   * thresholds. A mark is inserted before the request is added to the purgatory, and removed when the
   * request ends. So nothing is kept of requests that have ended, and there is nothing to purge.
   *
   * No wake-up is lost. An advance writes the number first, then visits the marks between the former
   * number and the new one, and evaluates those whose request is held. If it finds a request that is not
   * held yet, it skips it: the adding thread evaluates the condition once more after it has made the
   * request a held one, and sees the number.
   *
   * A mark stays when its request is evaluated in vain, because a number that is removed and advanced
   * again reaches the same threshold again. Each rise of the number above a threshold belongs to one
   * advance, which learns both numbers from one atomic step. Marks at or below the former number are not
   * visited: however many requests wait for something else, an advance costs nothing for them.
   *
   * A level without a number is removed with its last mark. Marks are inserted, numbers changed, and such
   * levels removed, within `compute` of the map, so that neither a mark nor a number gets into a level
   * that was removed. The end of a request removes its mark first, then reads the number, and `remove`
   * clears the number first, then reads the marks: one of the two sees that the level is unused.
   */

  private static final long NONE = Long.MIN_VALUE;

  private final Purgatory<K> purgatory;
  private final ShrinkingMap<K, Level> levels;
  private final AtomicLong marks = new AtomicLong();

  /**
   * Creates numbers for the requests of a purgatory.
   *
   * @param purgatory holds the requests
   */
  public Thresholds(Purgatory<K> purgatory) {
    this.purgatory = requireNonNull(purgatory, "purgatory");
    this.levels = new ShrinkingMap<>(purgatory.core().helpers());
  }

  /** The number of a key, and the requests that wait for it. */
  private static final class Level {
    private final AtomicLong number = new AtomicLong(NONE);
    private final ConcurrentSkipListMap<Place, Mark> marks = new ConcurrentSkipListMap<>();

    /** Returns the number before. */
    long raise(long reached) {
      return number.getAndAccumulate(reached, Math::max);
    }

    void clear() {
      number.set(NONE);
      VarHandle.fullFence(); // write the number first, then read the marks
    }

    Level with(Mark mark) {
      mark.level = this;
      marks.put(mark, mark);
      return this;
    }

    boolean isUnused() {
      return number.get() == NONE && marks.isEmpty();
    }

    /** Evaluates the requests whose threshold is reached; returns how many it completed. */
    int wake(long before, long reached) {
      int completed = 0;
      for (Mark mark : between(before, reached).values()) {
        if (mark.registration.wasHeld() && mark.registration.evaluate(null)) {
          completed++;
        }
      }
      return completed;
    }

    /** Returns the marks up to {@code reached}, and above {@code before} unless that is NONE. */
    private Map<Place, Mark> between(long before, long reached) {
      Place last = new Edge(reached);
      return before == NONE ? marks.headMap(last) : marks.subMap(new Edge(before), last);
    }
  }

  /** A place in a level: by the threshold, then in order of arrival. */
  private interface Place extends Comparable<Place> {
    long threshold();

    long index();

    @Override
    default int compareTo(Place other) {
      int order = Long.compare(threshold(), other.threshold());
      return order != 0 ? order : Long.compare(index(), other.index());
    }
  }

  /** The place behind all requests with this threshold. */
  private record Edge(long threshold) implements Place {
    @Override
    public long index() {
      return Long.MAX_VALUE;
    }
  }

  /** A request that waits for a threshold, and its place. */
  private static final class Mark extends Attachment implements Place {
    private final Thresholds<?> thresholds;
    private final Object key;
    private final long threshold;
    private final long index;
    private final Registration registration;
    private @Nullable Level level;

    Mark(Point<?> point, long index, Registration registration) {
      this.thresholds = point.thresholds;
      this.key = point.key;
      this.threshold = point.threshold;
      this.index = index;
      this.registration = registration;
    }

    @Override
    public long threshold() {
      return threshold;
    }

    @Override
    public long index() {
      return index;
    }

    @Override
    void end() {
      Level from = requireNonNull(level);
      if (from.marks.remove(this) != null && from.isUnused()) {
        thresholds.removeUnused(key);
      }
    }
  }

  /**
   * Begins the description of a request that is held until the number of a key has reached a
   * threshold.
   *
   * @param key the key
   * @param threshold the least number to wait for
   * @return a description that can be held without a key; its answer is the number
   */
  public Hold<K, Long> reach(K key, long threshold) {
    requireNonNull(key, "key");
    return purgatory.until(() -> numberFrom(key, threshold)).reaching(this, key, threshold);
  }

  /**
   * Begins the description of a request that is held until some of several thresholds are reached.
   *
   * @param count how many, from 1 to all of them
   * @param thresholds the thresholds by key
   * @return a description that can be held without a key; its answer has those that are reached,
   *     with their numbers
   * @throws IllegalArgumentException if there are fewer thresholds than that, or {@code count} is
   *     not positive
   */
  public Hold<K, Map<K, Long>> reach(int count, Map<? extends K, Long> thresholds) {
    Map<K, Long> copy = Map.copyOf(thresholds);
    if (count < 1 || count > copy.size()) {
      throw new IllegalArgumentException(count + " of " + copy.size() + " thresholds");
    }
    Hold<K, Map<K, Long>> hold = purgatory.until(() -> reached(count, copy));
    for (Map.Entry<K, Long> each : copy.entrySet()) {
      hold = hold.reaching(this, each.getKey(), each.getValue());
    }
    return hold;
  }

  private @Nullable Map<K, Long> reached(int count, Map<K, Long> thresholds) {
    Map<K, Long> reached = new HashMap<>();
    thresholds.forEach(
        (key, threshold) -> {
          Long number = numberFrom(key, threshold);
          if (number != null) {
            reached.put(key, number);
          }
        });
    return reached.size() < count ? null : Map.copyOf(reached);
  }

  /**
   * Advances the number of a key, and answers the requests that this makes answerable. A number
   * that is not greater than before changes nothing. Call it after the event has taken effect.
   *
   * @param key the key
   * @param number the number that is reached; greater than {@link Long#MIN_VALUE}
   * @return the number of requests that this call completed
   * @throws IllegalArgumentException if the number is {@link Long#MIN_VALUE}
   */
  public int advance(K key, long number) {
    requireNonNull(key, "key");
    if (number == NONE) {
      throw new IllegalArgumentException("Long.MIN_VALUE stands for no number");
    }
    Headroom.ensure();
    long[] before = {number};
    Level level =
        requireNonNull(
            levels.compute(
                key,
                (k, found) -> {
                  Level raised = level(found);
                  before[0] = raised.raise(number);
                  return raised;
                }));
    return before[0] < number ? level.wake(before[0], number) : 0;
  }

  private static Level level(@Nullable Level found) {
    return found == null ? new Level() : found;
  }

  /**
   * Returns the number of a key.
   *
   * @param key the key
   * @return the greatest number that it was advanced to; null if there is none
   */
  public @Nullable Long number(K key) {
    Level level = levels.get(requireNonNull(key, "key"));
    long number = level == null ? NONE : level.number.get();
    return number == NONE ? null : number;
  }

  /**
   * Removes the number of a key, for instance of a partition that has moved away. Requests that
   * wait for it stay held, and are evaluated when it is advanced to their threshold again.
   *
   * @param key the key
   */
  public void remove(K key) {
    Headroom.ensure();
    levels.computeIfPresent(
        requireNonNull(key, "key"),
        (k, level) -> {
          level.clear();
          return level.isUnused() ? null : level;
        });
  }

  /** Returns the number of the key if it has reached the threshold, else null. Reads it once. */
  private @Nullable Long numberFrom(K key, long threshold) {
    Level level = levels.get(key);
    long number = level == null ? NONE : level.number.get();
    return number == NONE || number < threshold ? null : number;
  }

  /**
   * A threshold to wait for.
   *
   * @param thresholds has the key
   * @param key the key
   * @param threshold the least number to wait for
   */
  record Point<K>(Thresholds<K> thresholds, K key, long threshold) implements Core.Term {

    /** Evaluates the request when the threshold is reached, until the request has ended. */
    @Override
    public void begin(Registration registration, Core<?> core) {
      Mark mark = new Mark(this, thresholds.marks.getAndIncrement(), registration);
      Level unused = thresholds.levels.compute(key, (k, found) -> level(found).with(mark));
      registration.attach(mark);
    }

    @Override
    public Object event() {
      return new MissedSignals.Threshold(key, threshold);
    }

    @Override
    public boolean hasCome() {
      return thresholds.numberFrom(key, threshold) != null;
    }
  }

  private void removeUnused(Object key) {
    @SuppressWarnings("unchecked") // it came from here
    K own = (K) key;
    levels.computeIfPresent(own, (k, found) -> found.isUnused() ? null : found);
  }

  /** The table of keys, for tests. */
  ShrinkingMap<K, Level> table() {
    return levels;
  }

  /** The number of keys, for tests. */
  int keys() {
    return levels.size();
  }
}
