package dev.purgatory.benchmarks.run;

import dev.purgatory.benchmarks.measure.Measurements;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * One JVM: one measurement of one contender.
 *
 * @param measurement what is measured
 * @param contender the contender's name
 * @param settings how large, as {@code name=value} each
 * @param jvmFlags flags of the JVM
 * @param params parameters that the JVM does not print itself
 * @param expected how long it takes, about
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

  /** Whether the drop-in must come first on the class path of the JVM. */
  boolean needsDropIn() {
    return measurement.entrants().stream()
        .anyMatch(each -> each.needsDropIn() && each.title().equals(contender));
  }

  @Override
  public String bench() {
    return measurement.title();
  }
}
