package dev.purgatory.benchmarks;

import java.nio.file.Path;
import java.util.Set;

/**
 * Selects what a benchmark measures.
 *
 * @param isFull whether to measure in as many JVMs and for as long as the published results
 * @param only the names of the measurements; empty for all
 * @param contenders the names of the contenders; empty for all
 * @param seed the seed of the order of contenders
 * @param home the root of the checkout, which contains the jars that the build creates
 */
public record Options(
    boolean isFull, Set<String> only, Set<String> contenders, long seed, Path home) {

  /** Copies the sets. */
  public Options {
    only = Set.copyOf(only);
    contenders = Set.copyOf(contenders);
  }

  /** Returns the name of the kind of run. */
  public String mode() {
    return isFull ? "full" : "quick";
  }
}
