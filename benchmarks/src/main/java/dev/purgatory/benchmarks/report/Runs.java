package dev.purgatory.benchmarks.report;

import dev.purgatory.benchmarks.results.Results;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The results that are published.
 *
 * @param full a full run
 * @param broker the benchmark of real brokers
 * @param features the comparison of features
 * @param adapters the comparison of adapters with what they replace
 */
public record Runs(Results full, Results broker, Results features, Results adapters) {

  /** Returns the results by the names of their files and folders. */
  Map<String, Results> byName() {
    Map<String, Results> all = new LinkedHashMap<>();
    all.put("full", full);
    all.put("broker", broker);
    all.put("features", features);
    all.put("adapters", adapters);
    return all;
  }

  /** Returns the results that a table of the page is made of. */
  Results of(String table) {
    return byName().entrySet().stream()
        .filter(run -> table.startsWith(run.getKey() + "-"))
        .map(Map.Entry::getValue)
        .findFirst()
        .orElse(full);
  }
}
