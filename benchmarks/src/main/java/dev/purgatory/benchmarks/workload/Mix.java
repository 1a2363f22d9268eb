package dev.purgatory.benchmarks.workload;

import java.util.Locale;

/** The latency distribution of requests, relative to a timeout of 200 ms. */
public enum Mix {
  /** Few requests time out. */
  LOW(20, 60),
  /** Half of the requests time out. */
  HIGH(200, 400);

  private final double p50;
  private final double p75;

  Mix(double p50, double p75) {
    this.p50 = p50;
    this.p75 = p75;
  }

  /** Returns the distribution of the latency, in milliseconds. */
  public LogNormal latencyMillis() {
    return LogNormal.of(p50, p75);
  }

  /** Returns the name in options and results. */
  public String title() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Returns the mix with a name.
   *
   * @throws IllegalArgumentException if no mix has this name
   */
  public static Mix named(String title) {
    return valueOf(title.toUpperCase(Locale.ROOT));
  }
}
