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
 * The JVMs of a run, in their order: each configuration is measured for all contenders, one after
 * the other, in several rounds, each in an order of its own.
 *
 * @param jobs the JVMs
 */
public record Plan(List<Job> jobs) {
  /** Copies the list. */
  public Plan {
    jobs = List.copyOf(jobs);
  }

  /**
   * Makes a plan.
   *
   * @throws IllegalArgumentException if the options name something that does not exist
   */
  public static Plan of(Options options) {
    List<String> measurements =
        Arrays.stream(Measurements.values()).map(Measurements::title).toList();
    Set<String> contenders = new LinkedHashSet<>();
    Stream.of(Measurements.values())
        .flatMap(measurement -> measurement.entrants().stream())
        .forEach(entrant -> contenders.add(entrant.title()));
    requireOneOf("mode", Set.of(options.mode()), List.of("quick", "full", "guard"));
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
          "none of these benchmarks is for any of these contenders in a "
              + options.mode()
              + " run");
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
            "no " + what + " is named '" + name + "'; there are " + String.join(", ", valid));
      }
    }
  }

  private static List<Step> steps(Options options) {
    boolean byName = !options.only().isEmpty();
    return switch (options.mode()) {
      case "quick" -> byName ? QuickSteps.byName() : QuickSteps.all();
      case "full" -> byName ? FullSteps.byName() : FullSteps.all();
      default -> FullSteps.guard();
    };
  }

  /** The measurements, each with its jobs. */
  public Map<String, List<Job>> byMeasurement() {
    return jobs.stream()
        .collect(Collectors.groupingBy(Job::bench, LinkedHashMap::new, Collectors.toList()));
  }

  /** How long all of it takes, about. */
  public Duration expected() {
    return Turns.expected(jobs);
  }

  private static boolean isIn(Set<String> chosen, String name) {
    return chosen.isEmpty() || chosen.contains(name);
  }
}
