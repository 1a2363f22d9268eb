package dev.purgatory;

import static java.util.Objects.requireNonNull;

import dev.purgatory.base.Headroom;
import dev.purgatory.base.Nesting;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Numbers that only grow, such as the offsets that replicas have reached, and requests that wait
 * until they reach a threshold. Thread-safe.
 *
 * <pre>{@code
 * Purgatory<String> reads = Purgatory.builder("reads", String.class).build();
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
 * threshold it reaches, the lowest first, in O(1) for each if their thresholds came in rising
 * order, else in O(log n); requests that wait for more cost nothing. A signal on an ordinary key
 * evaluates every request on that key.
 *
 * <p>A request can wait for several thresholds, for some of several, and for ordinary keys as well:
 * see {@link #reach(int, Map)} and {@link Hold.Untimed#reaching}.
 *
 * @param <K> the type of the keys, with constant {@code equals} and {@code hashCode}
 */
public final class Thresholds<K> {

  /*
   * Each key has a level: its number, and the marks of the requests that wait for it. A mark is inserted before
   * the request is added to the purgatory, and removed when the request ends. So nothing is kept of
   * requests that have ended, and there is nothing to purge.
   *
   * No wake-up is lost. An advance writes the number first, then takes the marks that it reaches, and evaluates
   * those whose request is held. If it finds a request that is not held yet, it skips it: the adding thread
   * evaluates the condition once more after it has made the request a held one, and sees the number. Marks that
   * were reached before are not visited: however many requests wait for something else, an advance
   * costs nothing for them.
   *
   * A level without a number and without marks is retired, and then removed. A thread that finds it retired helps to
   * remove it, and uses the next one.
   */

  private final Purgatory<K> purgatory;
  private final Map<K, Level> levels = new ConcurrentHashMap<>();

  /**
   * Creates numbers for the requests of a purgatory.
   *
   * @param purgatory holds the requests
   */
  public Thresholds(Purgatory<K> purgatory) {
    this.purgatory = requireNonNull(purgatory, "purgatory");
  }

  /**
   * Begins the description of a request that is held until the number of a key has reached a
   * threshold.
   *
   * @param key the key
   * @param threshold the least number to wait for
   * @return a description that needs no key; its answer is the number
   */
  public Hold.Untimed<K, Long> reach(K key, long threshold) {
    Point<K> point = new Point<>(this, requireNonNull(key, "key"), threshold);
    return purgatory.<Long>describe(point).with(point);
  }

  /**
   * Begins the description of a request that is held until some of several thresholds are reached.
   *
   * @param count how many, from 1 to all of them
   * @param thresholds the thresholds by key
   * @return a description that needs no key; its answer has the reached ones, with their numbers
   * @throws IllegalArgumentException if there are fewer thresholds than that, or {@code count} is
   *     not positive
   */
  public Hold.Untimed<K, Map<K, Long>> reach(int count, Map<? extends K, Long> thresholds) {
    requireNonNull(thresholds, "thresholds")
        .forEach(
            (key, threshold) -> {
              requireNonNull(key, "key");
              requireNonNull(threshold, "threshold");
            });
    Map<K, Long> copy = Map.copyOf(thresholds);
    if (count < 1 || count > copy.size()) {
      throw new IllegalArgumentException(
          "count " + count + " is not from 1 to " + copy.size() + ", the number of thresholds");
    }
    Hold.Untimed<K, Map<K, Long>> hold =
        purgatory.describe((Condition.Bound) reason -> reached(count, copy));
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
   * @return the number of requests that this call completed; 0 if it was nested too deep in
   *     callbacks, so that a helper thread does the work
   * @throws IllegalArgumentException if the number is {@link Long#MIN_VALUE}
   */
  public int advance(K key, long number) {
    requireNonNull(key, "key");
    if (number == Long.MIN_VALUE) {
      throw new IllegalArgumentException("Long.MIN_VALUE stands for no number");
    }
    Headroom.ensure();
    Level level = level(key);
    while (!level.raise(number)) {
      level = nextLevel(key, level);
    }
    return evaluate(level);
  }

  private int evaluate(Level level) {
    int depth = Nesting.enter();
    try {
      boolean handedOver =
          Nesting.isTooDeep(depth) && purgatory.core().onHelper(() -> evaluate(level));
      return handedOver ? 0 : level.evaluateReached();
    } finally {
      Nesting.leave(depth);
    }
  }

  /** Returns the level of a key, which may be retired, and creates it if there is none. */
  private Level level(K key) {
    return levels.computeIfAbsent(key, k -> new Level());
  }

  /** Returns the level of a key after a retired one. */
  private Level nextLevel(K key, Level retired) {
    levels.remove(key, retired);
    return level(key);
  }

  /**
   * Returns the number of a key.
   *
   * @param key the key
   * @return the greatest number that it was advanced to; null if there is none
   */
  public @Nullable Long number(K key) {
    return numberFrom(requireNonNull(key, "key"), Long.MIN_VALUE);
  }

  /**
   * Removes the number of a key, for instance of a partition that has moved away. Requests that
   * wait for it stay held, and are evaluated when it is advanced to their threshold again.
   *
   * @param key the key
   */
  public void remove(K key) {
    removeIf(requireNonNull(key, "key"), Level::clear);
  }

  private void removeIf(K key, Predicate<Level> retires) {
    Level level = levels.get(key);
    if (level != null && retires.test(level)) {
      levels.remove(key, level);
    }
  }

  /** Returns the number of the key if it has reached the threshold, else null. Reads it once. */
  private @Nullable Long numberFrom(K key, long threshold) {
    Level level = levels.get(key);
    Long number = level == null ? null : level.number();
    return number == null || number < threshold ? null : number;
  }

  /**
   * A threshold to wait for.
   *
   * @param thresholds has the key
   * @param key the key
   * @param threshold the least number to wait for
   */
  record Point<K>(Thresholds<K> thresholds, K key, long threshold)
      implements Term, Condition.Bound, Level.Point {

    @Override
    public @Nullable Object evaluate(@Nullable Object reason) {
      return thresholds.numberFrom(key, threshold);
    }

    /** Evaluates the request when the threshold is reached, until the request has ended. */
    @Override
    public void begin(Registration registration, Core<?> core) {
      Level.Mark mark = new Level.Mark(this, registration);
      Level level = thresholds.level(key);
      while (!level.insert(mark)) {
        level = thresholds.nextLevel(key, level);
      }
      registration.attach(mark);
    }

    @Override
    public void removeUnused() {
      thresholds.removeIf(key, Level::retire);
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

  /** The number of keys, for tests. */
  int keys() {
    return levels.size();
  }
}
