package dev.purgatory.benchmarks.report;

import dev.purgatory.benchmarks.results.Results;
import dev.purgatory.benchmarks.results.ResultsJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The results that are published.
 *
 * @param byName the contests of the runs by the names of their files
 */
record Runs(Map<String, Contest> byName) {
  /** What the names of runs on the older JDK end with. */
  static final String JDK_17 = "-17";

  private static final List<String> NAMES =
      List.of(
          "full",
          "steady",
          "steady-17",
          "features",
          "features-17",
          "adapters",
          "adapters-17",
          "scaling",
          "broker",
          "purge-interval");

  /** Reads the runs that a folder has. */
  static Runs read(Path folder) throws IOException {
    Map<String, Contest> all = new LinkedHashMap<>();
    for (String name : NAMES) {
      Path file = folder.resolve(name + ".json");
      if (Files.exists(file)) {
        Results results = ResultsJson.read(file);
        all.put(name, new Contest(results));
      }
    }
    return new Runs(all);
  }

  Optional<Contest> get(String name) {
    return Optional.ofNullable(byName.get(name));
  }
}
