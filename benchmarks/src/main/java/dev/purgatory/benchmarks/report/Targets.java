package dev.purgatory.benchmarks.report;

import dev.purgatory.benchmarks.results.Results;
import dev.purgatory.benchmarks.results.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.DoubleStream;

/** The targets for features and how they were met, as a table and as a chart. */
final class Targets {
  /** The columns of the table. */
  static final List<String> HEADER =
      List.of("task", "`purgatory`", "best rival", "ratio", "target", "");

  private Targets() {}

  /** Returns the cells of each target for which there are results. */
  static List<List<String>> table(Results results) {
    List<List<String>> lines = new ArrayList<>();
    for (Target target : Target.ALL) {
      target.compare(results).ifPresent(found -> lines.add(cells(target, found)));
    }
    return lines;
  }

  private static List<String> cells(Target target, Target.Comparison found) {
    return List.of(
        target.task(),
        value(found.ours()),
        "`" + found.best().contender() + "` " + value(found.best()),
        Numbers.ratio(found.ratios()),
        Numbers.brief(target.share()),
        target.isMet(found) ? "met" : "**missed**");
  }

  private static String value(Row row) {
    return Numbers.brief(row.median()) + " " + row.unit();
  }

  /** Returns the rows of a chart that has the ratio of each target. */
  static List<Row> ratios(Results results) {
    List<Row> rows = new ArrayList<>();
    for (Target target : Target.ALL) {
      target
          .compare(results)
          .map(Target.Comparison::ratios)
          .ifPresent(ratios -> rows.add(row(target, ratios)));
    }
    return rows;
  }

  private static Row row(Target target, Ratios ratios) {
    return new Row(
        "features",
        target.task(),
        Map.of(),
        "cost relative to the best rival",
        "×",
        false,
        DoubleStream.of(ratios.least(), ratios.median(), ratios.greatest()).boxed().toList());
  }
}
