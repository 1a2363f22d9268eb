package dev.purgatory.benchmarks.workload;

import dev.purgatory.benchmarks.contender.Key;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/**
 * When each request of a run arrives, how long it takes, and which keys it waits for. Drawn before
 * the run, so that drawing costs nothing in it, and compact, so that the heap is left to the
 * contender.
 */
public final class Schedule {
  /** The timeout of Kafka's redesign proposal. */
  public static final long TIMEOUT_MILLIS = 200;

  /** How many keys there are by default. */
  public static final int KEYS = 100;

  /** So that a run ends soon after its last arrival, even where nothing times out. */
  private static final int LONGEST_LATENCY_MICROS = 500_000;

  private final Terms terms;
  private final Drawn drawn;
  private final int requests;

  private Schedule(Terms terms, Drawn drawn, int requests) {
    this.terms = terms;
    this.drawn = drawn;
    this.requests = requests;
  }

  /**
   * What a schedule is drawn from.
   *
   * @param mix how long requests take
   * @param timeoutMillis how long they may take
   * @param ratePerSecond how many arrive in a second, on average; infinity for all at once
   * @param keys how many keys there are, 3 at least; each request waits for three different ones
   */
  public record Terms(Mix mix, long timeoutMillis, double ratePerSecond, int keys) {

    /** Terms with the timeout of the proposal and the default number of keys. */
    public static Terms of(Mix mix, double ratePerSecond) {
      return new Terms(mix, TIMEOUT_MILLIS, ratePerSecond, KEYS);
    }

    /** The same with another number of keys. */
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
   * @param terms what it is drawn from
   * @param requests how many
   * @param seed the same seed gives the same schedule
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

  /** The same schedule over and over, practically without end. */
  public Schedule repeated() {
    return new Schedule(terms, drawn, Integer.MAX_VALUE);
  }

  /** Exponential, as the gaps of a Poisson process are. */
  private static int drawGap(double ratePerSecond, RandomGenerator random) {
    return (int) (-Math.log(1 - random.nextDouble()) / ratePerSecond * 1e9);
  }

  private static int drawLatency(LogNormal millis, RandomGenerator random) {
    return (int) Math.min(1000 * millis.draw(random), LONGEST_LATENCY_MICROS);
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

  /** How many requests there are. */
  public int requests() {
    return requests;
  }

  /** Whether all requests arrive at once. */
  public boolean isUnlimited() {
    return Double.isInfinite(terms.ratePerSecond());
  }

  /** The time from the arrival of the request before, or from the beginning. */
  public long gapNanos(int request) {
    return drawn.gapNanos[index(request)];
  }

  /** How long each request may take. */
  public long timeoutMillis() {
    return terms.timeoutMillis();
  }

  /** How long the request takes: half a second at most. */
  public long latencyNanos(int request) {
    return TimeUnit.MICROSECONDS.toNanos(drawn.latencyMicros[index(request)]);
  }

  /** Whether the request takes longer than it may; none does with a timeout above half a second. */
  public boolean timesOut(int request) {
    return drawn.latencyMicros[index(request)]
        >= TimeUnit.MILLISECONDS.toMicros(terms.timeoutMillis());
  }

  /** What the request waits for: three keys, all different. */
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
