package dev.purgatory.benchmarks.workload;

import dev.purgatory.benchmarks.contender.Key;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/**
 * Defines when each request of a run arrives, how long it takes, and which keys it waits for. It is
 * drawn before the run, so that drawing does not count, and is compact, so that the contender has
 * the heap to itself.
 */
public final class Schedule {
  /** The timeout of Kafka's redesign proposal. */
  public static final long TIMEOUT_MILLIS = 200;

  /** The default number of keys. */
  public static final int KEYS = 100;

  /** Ensures that a run ends soon after its last arrival, even if nothing times out. */
  private static final int MAX_LATENCY_MICROS = 500_000;

  private final Terms terms;
  private final Drawn drawn;
  private final int requests;

  private Schedule(Terms terms, Drawn drawn, int requests) {
    this.terms = terms;
    this.drawn = drawn;
    this.requests = requests;
  }

  /**
   * The parameters from which a schedule is drawn.
   *
   * @param mix the latency distribution
   * @param timeoutMillis the timeout in milliseconds
   * @param ratePerSecond the average number of arrivals per second; infinity if all arrive at once
   * @param keys the number of keys, at least 3; each request waits for three distinct ones
   */
  public record Terms(Mix mix, long timeoutMillis, double ratePerSecond, int keys) {

    /** Returns terms with the proposal's timeout and the default number of keys. */
    public static Terms of(Mix mix, double ratePerSecond) {
      return new Terms(mix, TIMEOUT_MILLIS, ratePerSecond, KEYS);
    }

    /** Returns the same terms with another number of keys. */
    public Terms withKeys(int other) {
      return new Terms(mix, timeoutMillis, ratePerSecond, other);
    }
  }

  /** One entry for each request, three for its keys. */
  private static final class Drawn {
    private final int[] gapNanos;
    private final int[] latencyMicros;
    private final short[] keys;
    private final List<Key> all;

    Drawn(int requests, int keys) {
      gapNanos = new int[requests];
      latencyMicros = new int[requests];
      this.keys = new short[3 * requests];
      all = IntStream.range(0, keys).mapToObj(Key::new).toList();
    }
  }

  /**
   * Draws a schedule.
   *
   * @param terms the parameters
   * @param requests the number of requests
   * @param seed the seed of all random choices
   */
  public static Schedule draw(Terms terms, int requests, long seed) {
    RandomGenerator random = new SplittableRandom(seed);
    LogNormal latencyMillis = terms.mix().latencyMillis();
    Drawn drawn = new Drawn(requests, terms.keys());
    for (int i = 0; i < requests; i++) {
      drawn.gapNanos[i] = drawGap(terms.ratePerSecond(), random);
      drawn.latencyMicros[i] = drawLatency(latencyMillis, random);
      drawKeys(drawn, i, random);
    }
    return new Schedule(terms, drawn, requests);
  }

  /** Returns a schedule that repeats this one practically without end. */
  public Schedule repeated() {
    return new Schedule(terms, drawn, Integer.MAX_VALUE);
  }

  /** Draws from an exponential distribution, as the gaps of a Poisson process. */
  private static int drawGap(double ratePerSecond, RandomGenerator random) {
    return (int) (-Math.log(1 - random.nextDouble()) / ratePerSecond * 1e9);
  }

  private static int drawLatency(LogNormal millis, RandomGenerator random) {
    return (int) Math.min(1000 * millis.draw(random), MAX_LATENCY_MICROS);
  }

  private static void drawKeys(Drawn drawn, int request, RandomGenerator random) {
    int keys = drawn.all.size();
    int a = random.nextInt(keys);
    int b = (a + 1 + random.nextInt(keys - 1)) % keys;
    int c;
    do {
      c = random.nextInt(keys);
    } while (c == a || c == b);
    drawn.keys[3 * request] = (short) a;
    drawn.keys[3 * request + 1] = (short) b;
    drawn.keys[3 * request + 2] = (short) c;
  }

  /** Returns the number of requests. */
  public int requests() {
    return requests;
  }

  /** Returns whether all requests arrive at once. */
  public boolean isUnlimited() {
    return Double.isInfinite(terms.ratePerSecond());
  }

  /** Returns the time since the previous arrival, or since the start, in nanoseconds. */
  public long gapNanos(int request) {
    return drawn.gapNanos[index(request)];
  }

  /** Returns the timeout of all requests, in milliseconds. */
  public long timeoutMillis() {
    return terms.timeoutMillis();
  }

  /** Returns how long the request takes, in nanoseconds; at most half a second. */
  public long latencyNanos(int request) {
    return TimeUnit.MICROSECONDS.toNanos(drawn.latencyMicros[index(request)]);
  }

  /** Returns whether the latency exceeds the timeout; never if that is above half a second. */
  public boolean timesOut(int request) {
    return drawn.latencyMicros[index(request)]
        >= TimeUnit.MILLISECONDS.toMicros(terms.timeoutMillis());
  }

  /** Returns the three distinct keys that the request waits for. */
  public List<Key> keys(int request) {
    int first = 3 * index(request);
    return List.of(key(first), key(first + 1), key(first + 2));
  }

  private int index(int request) {
    return request % drawn.gapNanos.length;
  }

  private Key key(int place) {
    return drawn.all.get(drawn.keys[place]);
  }
}
