package dev.purgatory.benchmarks.contender;

import java.time.Duration;
import java.util.Map;

/**
 * How a timing wheel is made.
 *
 * @param tick the time that a bucket of the lowest wheel stands for
 * @param buckets of one wheel
 */
public record Wheel(Duration tick, int buckets) {
  private static final Map<String, Duration> UNITS =
      Map.of("us", Duration.ofNanos(1000), "ms", Duration.ofMillis(1), "s", Duration.ofSeconds(1));

  /**
   * Reads one.
   *
   * @param text for instance {@code 1 ms x 20}: the tick, in us, ms or s, and the buckets
   * @throws IllegalArgumentException if it is nothing of that kind
   */
  public static Wheel parse(String text) {
    String[] words = text.split(" ", -1);
    if (words.length != 4 || !UNITS.containsKey(words[1]) || !words[2].equals("x")) {
      throw new IllegalArgumentException("not a wheel: " + text);
    }
    Duration tick = UNITS.get(words[1]).multipliedBy(Integer.parseInt(words[0]));
    return new Wheel(tick, Integer.parseInt(words[3]));
  }

  /** Whether the tick is a whole number of milliseconds. */
  boolean isInMillis() {
    return tick.equals(Duration.ofMillis(tick.toMillis()));
  }
}
