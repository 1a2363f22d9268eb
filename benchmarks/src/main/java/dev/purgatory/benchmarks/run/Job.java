package dev.purgatory.benchmarks.run;

import dev.purgatory.benchmarks.measure.Measurements;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * One JVM: one measurement of one contender.
 *
 * @param measurement what is measured
 * @param contender who is
 * @param settings how large, as {@code name=value} each
 * @param jvmFlags flags of the JVM
 * @param params what the JVM does not tell itself of how it was measured
 * @param expected how long it takes, about
 */
record Job(
    Measurements measurement,
    String contender,
    List<String> settings,
    List<String> jvmFlags,
    Map<String, String> params,
    Duration expected)
    implements Turn {

  @Override
  public String bench() {
    return measurement.title();
  }
}
