package dev.purgatory.benchmarks.run;

import dev.purgatory.benchmarks.report.TextTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Presents a plan as a table. */
final class PlanTable {
  private static final List<String> COLUMNS =
      List.of("measurement", "JVMs", "expected", "contenders");

  private PlanTable() {}

  static TextTable of(Plan plan) {
    List<List<String>> rows = new ArrayList<>();
    plan.byMeasurement().forEach((measurement, jobs) -> rows.add(row(measurement, jobs)));
    rows.add(List.of("all", Integer.toString(plan.jobs().size()), text(plan.expected()), ""));
    return new TextTable("Measurements of this run", COLUMNS, rows);
  }

  private static List<String> row(String measurement, List<Job> jobs) {
    String contenders =
        jobs.stream().map(Job::contender).distinct().sorted().collect(Collectors.joining(", "));
    return List.of(
        measurement, Integer.toString(jobs.size()), text(Turns.expected(jobs)), contenders);
  }

  private static String text(Duration time) {
    return time.toMinutes() + " min " + time.toSecondsPart() + " s";
  }
}
