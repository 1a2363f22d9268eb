package dev.purgatory.benchmarks.report;

import static java.util.Objects.requireNonNull;

import dev.purgatory.benchmarks.results.Results;
import java.util.List;
import java.util.Map;

/**
 * The results that are published.
 *
 * @param byName the results by the names of their files and folders
 */
public record Runs(Map<String, Results> byName) {

  /**
   * A full run, the benchmark of real brokers, the comparison of features, that of adapters with
   * what they replace, both again on JDK 17, and requests and timeouts from many threads, on a
   * machine with many processors.
   */
  static final List<String> NAMES =
      List.of("full", "broker", "features", "features-17", "adapters", "adapters-17", "scaling");

  /** The runs of which the page shows charts. */
  static final List<String> CHARTED = List.of("full", "broker", "features", "scaling");

  Results get(String name) {
    return requireNonNull(byName.get(name));
  }

  /** Returns the name of the run that a table of the page is made of. */
  static String nameOf(String table) {
    return NAMES.stream().filter(run -> table.startsWith(run + "-")).findFirst().orElse("full");
  }
}
