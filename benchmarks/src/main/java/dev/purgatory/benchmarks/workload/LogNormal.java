package dev.purgatory.benchmarks.workload;

import java.util.random.RandomGenerator;

/**
 * A log-normal distribution.
 *
 * @param mu the mean of the logarithm
 * @param sigma the standard deviation of the logarithm
 */
public record LogNormal(double mu, double sigma) {
  /** The 75th percentile of the standard normal distribution. */
  private static final double NORMAL_P75 = 0.6744897501960817;

  /** Returns the distribution with the given median and 75th percentile. */
  public static LogNormal of(double p50, double p75) {
    return new LogNormal(Math.log(p50), Math.log(p75 / p50) / NORMAL_P75);
  }

  /** Draws a value. */
  public double draw(RandomGenerator random) {
    return Math.exp(mu + sigma * random.nextGaussian());
  }
}
