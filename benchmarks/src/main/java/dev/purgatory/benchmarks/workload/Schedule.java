package dev.purgatory.benchmarks.workload;

import dev.purgatory.benchmarks.contender.Key;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/**
 * When each request of a run is to arrive, how long it takes, and what it waits for. Drawn before
 * the run, so that drawing costs nothing in it, and compact, so that there is heap left.
 */
public final class Schedule {
  /** The seeds' timeout. */
  public static final long TIMEOUT_MILLIS = 200;

  /** How many keys there are. */
  public static final int KEYS = 100;

  /** So that a run ends soon after its last arrival, even where nothing times out. */
  private static final int LONGEST_LATENCY_MICROS = 500_000;

  private static final List<Key> ALL_KEYS = IntStream.range(0, KEYS).mapToObj(Key::new).toList();

  private final long timeoutMillis;
  private final int[] gapNanos;
  private final int[] latencyMicros;
  private final byte[] keys;

  private Schedule(long timeoutMillis, int requests) {
    this.timeoutMillis = timeoutMillis;
    gapNanos = new int[requests];
    latencyMicros = new int[requests];
    keys = new byte[3 * requests];
  }

  /** Draws a schedule with the seeds' timeout. */
  public static Schedule draw(Mix mix, double ratePerSecond, int requests, long seed) {
    return draw(mix, TIMEOUT_MILLIS, ratePerSecond, requests, seed);
  }

  /**
   * Draws a schedule.
   *
   * @param mix how long requests take
   * @param timeoutMillis how long they may take
   * @param ratePerSecond how many arrive in a second, on average; infinity for all at once
   * @param requests how many
   * @param seed the same seed gives the same schedule
   */
  public static Schedule draw(
      Mix mix, long timeoutMillis, double ratePerSecond, int requests, long seed) {
    RandomGenerator random = new SplittableRandom(seed);
    LogNormal latencyMillis = mix.latencyMillis();
    Schedule schedule = new Schedule(timeoutMillis, requests);
    for (int i = 0; i < requests; i++) {
      schedule.gapNanos[i] = drawGap(ratePerSecond, random);
      schedule.latencyMicros[i] = drawLatency(latencyMillis, random);
      schedule.drawKeys(i, random);
    }
    return schedule;
  }

  /** Exponential, as the gaps of a Poisson process are. */
  private static int drawGap(double ratePerSecond, RandomGenerator random) {
    return (int) (-Math.log(1 - random.nextDouble()) / ratePerSecond * 1e9);
  }

  private static int drawLatency(LogNormal millis, RandomGenerator random) {
    return (int) Math.min(1000 * millis.draw(random), LONGEST_LATENCY_MICROS);
  }

  private void drawKeys(int request, RandomGenerator random) {
    int a = random.nextInt(KEYS);
    int b = (a + 1 + random.nextInt(KEYS - 1)) % KEYS;
    int c;
    do {
      c = random.nextInt(KEYS);
    } while (c == a || c == b);
    keys[3 * request] = (byte) a;
    keys[3 * request + 1] = (byte) b;
    keys[3 * request + 2] = (byte) c;
  }

  /** How many requests there are. */
  public int requests() {
    return gapNanos.length;
  }

  /** The time from the arrival of the request before, or from the beginning. */
  public long gapNanos(int request) {
    return gapNanos[request];
  }

  /** How long each request may take. */
  public long timeoutMillis() {
    return timeoutMillis;
  }

  /** How long the request takes: half a second at most. */
  public long latencyNanos(int request) {
    return TimeUnit.MICROSECONDS.toNanos(latencyMicros[request]);
  }

  /** Whether the request takes longer than it may; none does with a timeout above half a second. */
  public boolean timesOut(int request) {
    return latencyMicros[request] >= TimeUnit.MILLISECONDS.toMicros(timeoutMillis);
  }

  /** What the request waits for: three keys, all different. */
  public List<Key> keys(int request) {
    return List.of(key(3 * request), key(3 * request + 1), key(3 * request + 2));
  }

  private Key key(int index) {
    return ALL_KEYS.get(keys[index]);
  }
}
