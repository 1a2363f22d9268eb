package dev.purgatory.benchmarks.run;

import dev.purgatory.benchmarks.measure.Measurements;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * One measurement of everybody, in one configuration.
 *
 * @param measurement what is measured
 * @param settings how large, as {@code name=value} each
 * @param jvmFlags flags of the JVMs
 * @param params what the configuration is called in the results
 * @param expected how long one JVM takes, about
 */
record Step(
    Measurements measurement,
    List<String> settings,
    List<String> jvmFlags,
    Map<String, String> params,
    Duration expected) {

  Job of(String contender) {
    return new Job(measurement, contender, settings, jvmFlags, params, expected);
  }
}
