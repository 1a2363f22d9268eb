package dev.purgatory.benchmarks.run;

import dev.purgatory.benchmarks.measure.Measurements;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One measurement, in one configuration.
 *
 * @param measurement what is measured
 * @param contenders of whom
 * @param settings how large, as {@code name=value} each
 * @param jvmFlags flags of the JVMs
 * @param params what the configuration is called in the results
 * @param expected how long one JVM takes, about
 */
record Step(
    Measurements measurement,
    List<String> contenders,
    List<String> settings,
    List<String> jvmFlags,
    Map<String, String> params,
    Duration expected) {

  Step without(Set<String> some) {
    List<String> others = contenders.stream().filter(each -> !some.contains(each)).toList();
    return new Step(measurement, others, settings, jvmFlags, params, expected);
  }

  Job of(String contender) {
    return new Job(measurement, contender, settings, jvmFlags, params, expected);
  }
}
