package dev.purgatory.cli;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.SplittableRandom;
import picocli.CommandLine.Option;

/** The options that select what a benchmark measures. */
final class BenchSelection {
  private static final int SEEDS = 1_000_000;

  @Option(
      names = "--only",
      split = ",",
      paramLabel = "NAME",
      description = "Runs only these measurements. If a name is unknown, lists the valid names.")
  private Set<String> only = new LinkedHashSet<>();

  @Option(
      names = "--contender",
      split = ",",
      paramLabel = "NAME",
      description = "Measures only these contenders. If a name is unknown, lists the valid names.")
  private Set<String> contenders = new LinkedHashSet<>();

  @Option(
      names = "--dry-run",
      description = "Shows what would be measured and the expected time, without running it.")
  private boolean dryRun;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "The seed of the order of contenders. Default: random, and recorded.")
  private long seed = new SplittableRandom().nextInt(SEEDS);

  /** Returns the names of the measurements; empty for all. */
  Set<String> only() {
    return only;
  }

  /** Returns the names of the contenders; empty for all. */
  Set<String> contenders() {
    return contenders;
  }

  /** Returns whether to show the plan instead of running it. */
  boolean isDryRun() {
    return dryRun;
  }

  /** Returns the seed of the order of contenders. */
  long seed() {
    return seed;
  }
}
