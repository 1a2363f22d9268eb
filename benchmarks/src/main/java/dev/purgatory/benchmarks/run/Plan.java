package dev.purgatory.benchmarks.run;

import dev.purgatory.benchmarks.Options;
import dev.purgatory.benchmarks.measure.Measurements;
import dev.purgatory.benchmarks.report.Table;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The jobs of a run, in order. In each of several rounds, each configuration is measured for all
 * contenders, in random order.
 *
 * @param jobs the jobs
 */
record Plan(List<Job> jobs) {

  /** Copies the list. */
  Plan {
    jobs = List.copyOf(jobs);
  }

  /**
   * Creates a plan.
   *
   * @throws IllegalArgumentException if the options contain an unknown name or select nothing
   */
  static Plan of(Options options) {
    requireNames(
        "measurement", options.only(), Stream.of(Measurements.values()).map(Measurements::title));
    requireNames(
        "contender",
        options.contenders(),
        Stream.of(Measurements.values())
            .flatMap(measurement -> measurement.entrants().stream())
            .map(entrant -> entrant.title()));
    List<Turns.Group<Job>> chosen =
        Steps.of(options.mode()).stream()
            .filter(step -> isIn(options.only(), step.measurement().title()))
            .map(step -> step.jobs(each -> isIn(options.contenders(), each.title())))
            .toList();
    Plan plan = new Plan(Turns.inRounds(chosen, options.seed()));
    if (plan.jobs.isEmpty()) {
      throw new IllegalArgumentException(
          "a " + options.mode() + " run has none of these measurements for these contenders");
    }
    return plan;
  }

  private static void requireNames(String what, Set<String> names, Stream<String> all) {
    List<String> valid = all.distinct().toList();
    for (String name : names) {
      if (!valid.contains(name)) {
        throw new IllegalArgumentException(
            "unknown " + what + " '" + name + "'; valid names: " + String.join(", ", valid));
      }
    }
  }

  private static boolean isIn(Set<String> chosen, String name) {
    return chosen.isEmpty() || chosen.contains(name);
  }

  /** Returns the expected time of all jobs. */
  Duration expected() {
    return Turns.expected(jobs);
  }

  /** Returns the contenders, the number of JVMs and the expected time of each measurement. */
  Table table() {
    Map<String, List<Job>> byMeasurement =
        jobs.stream()
            .collect(Collectors.groupingBy(Job::bench, LinkedHashMap::new, Collectors.toList()));
    List<List<String>> rows = new ArrayList<>();
    byMeasurement.forEach(
        (measurement, some) -> rows.add(row(measurement, some, contenders(some))));
    rows.add(row("all", jobs, ""));
    return new Table(
        "Measurements of this run", List.of("measurement", "JVMs", "expected", "contenders"), rows);
  }

  private static String contenders(List<Job> jobs) {
    return jobs.stream().map(Job::contender).distinct().sorted().collect(Collectors.joining(", "));
  }

  private static List<String> row(String name, List<Job> jobs, String contenders) {
    Duration time = Turns.expected(jobs);
    return List.of(
        name,
        Integer.toString(jobs.size()),
        time.toMinutes() + " min " + time.toSecondsPart() + " s",
        contenders);
  }
}
