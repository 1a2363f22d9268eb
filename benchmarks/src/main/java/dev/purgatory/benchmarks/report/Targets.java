package dev.purgatory.benchmarks.report;

import dev.purgatory.benchmarks.results.Results;
import dev.purgatory.benchmarks.results.Row;
import java.util.List;
import java.util.Optional;

/** The targets for features and how they were met, as a table. */
final class Targets {
  /** The columns of the table. */
  static final List<String> HEADER =
      List.of("task", "`purgatory`", "best rival", "ratio", "target", "");

  private Targets() {}

  /** Returns how each target was met for which there are results. */
  static List<Target.Comparison> compare(Results results) {
    return Target.ALL.stream()
        .map(target -> target.compare(results))
        .flatMap(Optional::stream)
        .toList();
  }

  /** Returns the cells of each target for which there are results. */
  static List<List<String>> table(Results results) {
    return compare(results).stream().map(Targets::cells).toList();
  }

  /** Returns a sentence that says how many targets are met. */
  static String summary(Results results) {
    List<Target.Comparison> all = compare(results);
    return all.stream().filter(Target.Comparison::isMet).count()
        + " of "
        + all.size()
        + " targets are met.";
  }

  private static List<String> cells(Target.Comparison found) {
    return List.of(
        found.target().task(),
        value(found.ours()),
        "`" + found.best().contender() + "` " + value(found.best()),
        Numbers.ratio(found.ratio()),
        Numbers.brief(found.target().share()),
        found.isMet() ? "met" : "**missed**");
  }

  private static String value(Row row) {
    return Numbers.brief(row.median()) + " " + row.unit();
  }
}
