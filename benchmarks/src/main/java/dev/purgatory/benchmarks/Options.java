package dev.purgatory.benchmarks;

import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

/**
 * Selects what a benchmark measures.
 *
 * @param mode {@code quick}, which takes a few minutes, {@code full}, {@code guard}, which measures
 *     what {@link dev.purgatory.benchmarks.guard.Guard} compares, {@code features}, which compares
 *     single features with what people use instead, or {@code quick features}
 * @param only the names of the measurements; empty for all
 * @param contenders the names of the contenders; empty for all
 * @param seed the seed of the order of contenders
 * @param home the root of the checkout, which contains the jars that the build creates
 * @param otherJdk the home of a JDK on which features that depend on the JDK are measured as well
 */
public record Options(
    String mode,
    Set<String> only,
    Set<String> contenders,
    long seed,
    Path home,
    Optional<Path> otherJdk) {

  /** Copies the sets. */
  public Options {
    only = Set.copyOf(only);
    contenders = Set.copyOf(contenders);
  }

  /** Selects what is measured on one JDK. */
  public Options(String mode, Set<String> only, Set<String> contenders, long seed, Path home) {
    this(mode, only, contenders, seed, home, Optional.empty());
  }
}
