package dev.purgatory.benchmarks.contender;

import java.time.Duration;
import java.util.Map;

/**
 * The configuration of a timing wheel.
 *
 * @param tick the span of a bucket of the lowest wheel
 * @param buckets the number of buckets per wheel
 */
public record Wheel(Duration tick, int buckets) {
  private static final Map<String, Duration> UNITS =
      Map.of("us", Duration.ofNanos(1000), "ms", Duration.ofMillis(1), "s", Duration.ofSeconds(1));

  /**
   * Parses a configuration.
   *
   * @param text the tick in us, ms or s, and the number of buckets, as in {@code 1 ms x 20}
   * @throws IllegalArgumentException if the text has another form
   */
  public static Wheel parse(String text) {
    String[] words = text.split(" ", -1);
    if (words.length != 4 || !UNITS.containsKey(words[1]) || !words[2].equals("x")) {
      throw new IllegalArgumentException("not a wheel: " + text);
    }
    Duration tick = UNITS.get(words[1]).multipliedBy(Integer.parseInt(words[0]));
    return new Wheel(tick, Integer.parseInt(words[3]));
  }

  /** Returns whether the tick is a whole number of milliseconds. */
  boolean isInMillis() {
    return tick.equals(Duration.ofMillis(tick.toMillis()));
  }
}
