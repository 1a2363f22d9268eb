package dev.purgatory.benchmarks.workload;

import java.util.Locale;

/** How long requests take, against a timeout of 200 ms. */
public enum Mix {
  /** Few requests time out. */
  LOW(20, 60),
  /** Half of them do. */
  HIGH(200, 400);

  private final double p50;
  private final double p75;

  Mix(double p50, double p75) {
    this.p50 = p50;
    this.p75 = p75;
  }

  /** The time that a request takes, in milliseconds. */
  public LogNormal latencyMillis() {
    return LogNormal.of(p50, p75);
  }

  /** The name. */
  public String title() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Finds a mix by its name.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static Mix named(String title) {
    return valueOf(title.toUpperCase(Locale.ROOT));
  }
}
