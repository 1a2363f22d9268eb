package dev.purgatory.benchmarks;

import java.nio.file.Path;
import java.util.Set;

/**
 * What to run.
 *
 * @param mode {@code quick}, which takes some minutes, {@code full}, or {@code guard}: what {@link
 *     dev.purgatory.benchmarks.guard.Guard} compares
 * @param only the names of the measurements; empty for all
 * @param contenders the names of the contenders to measure; empty for all
 * @param seed decides the order of contenders: the same seed gives the same order
 * @param home the root of the checkout, where the build has put the drop-in and what else is needed
 */
public record Options(String mode, Set<String> only, Set<String> contenders, long seed, Path home) {

  /** Copies the sets. */
  public Options {
    only = Set.copyOf(only);
    contenders = Set.copyOf(contenders);
  }
}
