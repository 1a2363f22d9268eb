package dev.purgatory.benchmarks.run;

import dev.purgatory.benchmarks.Options;
import dev.purgatory.benchmarks.measure.Measurements;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The JVMs of a run, in their order: each configuration is measured of all contenders, one after
 * the other, and that several times, each time beginning with another contender.
 *
 * @param jobs the JVMs
 */
public record Plan(List<Job> jobs) {
  private static final int QUICK_FORKS = 2;
  private static final int FULL_FORKS = 3;

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
    Stream.of(Measurements.values()).forEach(m -> contenders.addAll(m.contenders()));
    requireOneOf("mode", Set.of(options.mode()), List.of("quick", "full", "guard"));
    requireOneOf("benchmark", options.only(), measurements);
    requireOneOf("contender", options.contenders(), contenders);
    List<List<Job>> chosen =
        steps(options).stream()
            .filter(step -> isIn(options.only(), step.measurement().title()))
            .map(step -> step.of(contender -> isIn(options.contenders(), contender)).jobs())
            .toList();
    Plan plan =
        new Plan(Turns.inRounds(chosen, options.mode().equals("quick") ? QUICK_FORKS : FULL_FORKS));
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
    return switch (options.mode()) {
      case "quick" -> quick(options);
      case "full" -> Steps.full();
      default -> Steps.guard();
    };
  }

  private static List<Step> quick(Options options) {
    List<Step> steps = new ArrayList<>(Steps.quick());
    if (!options.only().isEmpty()) {
      steps.addAll(Steps.quickByName());
    }
    return steps;
  }

  private static boolean isIn(Set<String> chosen, String name) {
    return chosen.isEmpty() || chosen.contains(name);
  }
}
