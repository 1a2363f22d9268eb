package dev.purgatory.cli;

import java.util.SplittableRandom;
import picocli.CommandLine.Option;

/** The option {@code --seed} of benchmarks. */
final class SeedOption {
  private static final int SEEDS = 1_000_000;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "The seed of the order of contenders. Default: random, and recorded.")
  private long seed = new SplittableRandom().nextInt(SEEDS);

  long value() {
    return seed;
  }
}
