package dev.purgatory.benchmarks.run;

import dev.purgatory.benchmarks.Options;
import dev.purgatory.benchmarks.measure.Measurements;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
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
public record Plan(List<Job> jobs) {
  private static final List<String> MODES =
      List.of("quick", "full", "guard", "features", "quick features");

  /** Copies the list. */
  public Plan {
    jobs = List.copyOf(jobs);
  }

  /**
   * Creates a plan.
   *
   * @throws IllegalArgumentException if the options contain an unknown name or select nothing
   */
  public static Plan of(Options options) {
    List<String> measurements =
        Arrays.stream(Measurements.values()).map(Measurements::title).toList();
    Set<String> contenders = new LinkedHashSet<>();
    Stream.of(Measurements.values())
        .flatMap(measurement -> measurement.entrants().stream())
        .forEach(entrant -> contenders.add(entrant.title()));
    requireOneOf("mode", Set.of(options.mode()), MODES);
    requireOneOf("benchmark", options.only(), measurements);
    requireOneOf("contender", options.contenders(), contenders);
    List<Turns.Group<Job>> chosen =
        steps(options).stream()
            .filter(step -> isIn(options.only(), step.measurement().title()))
            .map(step -> step.of(each -> isIn(options.contenders(), each.title())).jobs())
            .toList();
    Plan plan = new Plan(Turns.inRounds(chosen, options.seed()));
    if (plan.jobs.isEmpty()) {
      throw new IllegalArgumentException(
          "a " + options.mode() + " run has none of these benchmarks for these contenders");
    }
    return plan;
  }

  private static void requireOneOf(String what, Set<String> names, Iterable<String> valid) {
    for (String name : names) {
      boolean known = false;
      for (String each : valid) {
        known |= each.equals(name);
      }
      if (!known) {
        throw new IllegalArgumentException(
            "unknown " + what + " '" + name + "'; valid names: " + String.join(", ", valid));
      }
    }
  }

  private static List<Step> steps(Options options) {
    boolean byName = !options.only().isEmpty();
    return switch (options.mode()) {
      case "quick" -> byName ? QuickSteps.byName() : QuickSteps.all();
      case "full" -> byName ? FullSteps.byName() : FullSteps.all();
      case "features" -> FeatureSteps.all(options.otherJdk());
      case "quick features" -> FeatureSteps.quick(options.otherJdk());
      default -> FullSteps.guard();
    };
  }

  /** Returns the jobs of each measurement. */
  public Map<String, List<Job>> byMeasurement() {
    return jobs.stream()
        .collect(Collectors.groupingBy(Job::bench, LinkedHashMap::new, Collectors.toList()));
  }

  /** Returns the expected time of all jobs. */
  public Duration expected() {
    return Turns.expected(jobs);
  }

  private static boolean isIn(Set<String> chosen, String name) {
    return chosen.isEmpty() || chosen.contains(name);
  }
}
