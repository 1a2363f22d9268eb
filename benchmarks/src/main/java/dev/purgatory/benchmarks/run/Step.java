package dev.purgatory.benchmarks.run;

import dev.purgatory.benchmarks.contender.Entrant;
import dev.purgatory.benchmarks.measure.Measurements;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * One measurement, in one configuration.
 *
 * @param measurement what is measured
 * @param contenders of whom
 * @param settings how large, as {@code name=value} each
 * @param jvmFlags flags of the JVMs
 * @param params what the configuration is called in the results
 * @param forks how many JVMs for each contender
 * @param expected how long one JVM takes, about
 */
record Step(
    Measurements measurement,
    List<Entrant> contenders,
    List<String> settings,
    List<String> jvmFlags,
    Map<String, String> params,
    int forks,
    Duration expected) {

  /** The same of some of the contenders. */
  Step of(Predicate<Entrant> chosen) {
    List<Entrant> some = contenders.stream().filter(chosen).toList();
    return new Step(measurement, some, settings, jvmFlags, params, forks, expected);
  }

  /** The same with another number of JVMs for each contender. */
  Step times(int otherForks) {
    return new Step(measurement, contenders, settings, jvmFlags, params, otherForks, expected);
  }

  /** A JVM for each contender, in each of the rounds. */
  Turns.Group<Job> jobs() {
    return new Turns.Group<>(
        contenders.stream()
            .map(each -> new Job(measurement, each.title(), settings, jvmFlags, params, expected))
            .toList(),
        forks);
  }
}
