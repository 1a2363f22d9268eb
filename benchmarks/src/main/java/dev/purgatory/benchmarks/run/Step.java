package dev.purgatory.benchmarks.run;

import dev.purgatory.benchmarks.contender.Entrant;
import dev.purgatory.benchmarks.measure.Measurements;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;

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
 * @param jdk the home of the JDK that runs it
 */
record Step(
    Measurements measurement,
    List<Entrant> contenders,
    List<String> settings,
    List<String> jvmFlags,
    Map<String, String> params,
    int forks,
    Duration expected,
    Path jdk) {

  /** Returns this step for some of the contenders. */
  Step of(Predicate<Entrant> chosen) {
    List<Entrant> some = contenders.stream().filter(chosen).toList();
    return new Step(measurement, some, settings, jvmFlags, params, forks, expected, jdk);
  }

  /** Returns this step with another number of JVMs for each contender. */
  Step times(int otherForks) {
    return new Step(measurement, contenders, settings, jvmFlags, params, otherForks, expected, jdk);
  }

  /** Returns this step with another setting. */
  Step with(String setting) {
    List<String> more = Stream.concat(settings.stream(), Stream.of(setting)).toList();
    return new Step(measurement, contenders, more, jvmFlags, params, forks, expected, jdk);
  }

  /** Returns this step with a longer expected time. */
  Step andMillis(int more) {
    Duration longer = expected.plusMillis(more);
    return new Step(measurement, contenders, settings, jvmFlags, params, forks, longer, jdk);
  }

  /** Returns this step on another JDK. */
  Step on(Path otherJdk) {
    return new Step(measurement, contenders, settings, jvmFlags, params, forks, expected, otherJdk);
  }

  /** Returns the jobs: one for each contender in each round. */
  Turns.Group<Job> jobs() {
    return new Turns.Group<>(contenders.stream().map(each -> job(each.title())).toList(), forks);
  }

  private Job job(String contender) {
    return new Job(measurement, contender, settings, jvmFlags, params, expected, jdk);
  }
}
