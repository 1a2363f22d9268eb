package dev.purgatory.benchmarks.run;

import dev.purgatory.benchmarks.contender.Entrant;
import dev.purgatory.benchmarks.measure.Measurements;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * A measurement in one configuration.
 *
 * @param measurement the measurement
 * @param contenders the contenders
 * @param settings the settings in the form {@code name=value}
 * @param jvmFlags the flags of the JVMs
 * @param params the parameters that identify the configuration in the results
 * @param forks the number of JVMs for each contender
 * @param expected the expected time of one JVM
 */
record Step(
    Measurements measurement,
    List<Entrant> contenders,
    List<String> settings,
    List<String> jvmFlags,
    Map<String, String> params,
    int forks,
    Duration expected) {

  /** Returns this step for some of the contenders. */
  Step of(Predicate<Entrant> chosen) {
    List<Entrant> some = contenders.stream().filter(chosen).toList();
    return new Step(measurement, some, settings, jvmFlags, params, forks, expected);
  }

  /** Returns this step with another number of JVMs for each contender. */
  Step times(int otherForks) {
    return new Step(measurement, contenders, settings, jvmFlags, params, otherForks, expected);
  }

  /** Returns the jobs: one for each contender in each round. */
  Turns.Group<Job> jobs() {
    return new Turns.Group<>(
        contenders.stream()
            .map(each -> new Job(measurement, each.title(), settings, jvmFlags, params, expected))
            .toList(),
        forks);
  }
}
