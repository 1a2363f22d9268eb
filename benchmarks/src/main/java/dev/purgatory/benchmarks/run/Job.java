package dev.purgatory.benchmarks.run;

import dev.purgatory.benchmarks.measure.Measurements;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * A measurement of one contender in one JVM.
 *
 * @param measurement the measurement
 * @param contender the name of the contender
 * @param settings the settings in the form {@code name=value}
 * @param jvmFlags the flags of the JVM
 * @param params parameters of the results that the JVM does not print itself
 * @param expected the expected time
 */
public record Job(
    Measurements measurement,
    String contender,
    List<String> settings,
    List<String> jvmFlags,
    Map<String, String> params,
    Duration expected)
    implements Turn {

  /** Copies the collections. */
  public Job {
    settings = List.copyOf(settings);
    jvmFlags = List.copyOf(jvmFlags);
    params = Map.copyOf(params);
  }

  /** Returns whether the drop-in must come first on the class path of the JVM. */
  boolean needsDropIn() {
    return measurement.entrants().stream()
        .anyMatch(each -> each.needsDropIn() && each.title().equals(contender));
  }

  @Override
  public String bench() {
    return measurement.title();
  }
}
