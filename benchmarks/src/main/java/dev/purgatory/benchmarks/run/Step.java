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
 * @param contenders which contenders it measures
 * @param forks the number of JVMs for each contender
 * @param seconds the expected time of one JVM
 * @param jvmFlags the flags of the JVMs
 * @param settings the settings in the form {@code name=value}
 */
record Step(
    Measurements measurement,
    Predicate<Entrant> contenders,
    int forks,
    int seconds,
    List<String> jvmFlags,
    List<String> settings) {

  /** Returns the jobs of some contenders: one for each in each round. */
  Turns.Group<Job> jobs(Predicate<Entrant> chosen) {
    return new Turns.Group<>(
        measurement.entrants().stream()
            .filter(contenders.and(chosen))
            .map(each -> job(each.title()))
            .toList(),
        forks);
  }

  private Job job(String contender) {
    Map<String, String> params = jvmFlags.contains(Steps.G1) ? Map.of("gc", "G1") : Map.of();
    return new Job(measurement, contender, settings, jvmFlags, params, Duration.ofSeconds(seconds));
  }
}
