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
 * @param scaling requests and timeouts from many threads, on a machine with many processors
 */
public record Runs(
    Results full, Results broker, Results features, Results adapters, Results scaling) {

  /** Returns the results by the names of their files and folders. */
  Map<String, Results> byName() {
    Map<String, Results> all = new LinkedHashMap<>();
    all.put("full", full);
    all.put("broker", broker);
    all.put("features", features);
    all.put("adapters", adapters);
    all.put("scaling", scaling);
    return all;
  }

  /** Returns the name of the run that a table of the page is made of. */
  String nameOf(String table) {
    return byName().keySet().stream()
        .filter(run -> table.startsWith(run + "-"))
        .findFirst()
        .orElse("full");
  }
}
