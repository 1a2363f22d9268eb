package dev.purgatory.kafka.versus;

import java.util.Map;
import java.util.OptionalDouble;
import java.util.Properties;
import java.util.TreeMap;
import org.apache.kafka.server.purgatory.DelayedOperationPurgatory;

/**
 * What one of the two JVMs runs: it measures whatever purgatory its class path has, through Kafka's
 * API, and prints one {@code name=value} line a result.
 */
public final class Probes {
  private Probes() {}

  /** Takes no arguments. */
  public static void main(String[] args) throws Exception {
    Map<String, Object> results = new TreeMap<>();
    results.put("origin", origin());
    results.put("reachable", ReachabilityProbe.measure());
    OptionalDouble wakeUps = IdleProbe.wakeUpsPerSecond();
    wakeUps.ifPresent(rate -> results.put("wakeUpsPerSecond", rate));
    results.put("earliestNanos", EarlinessProbe.earliestNanos());
    results.forEach((name, value) -> System.out.println(name + "=" + value));
  }

  private static String origin() {
    return DelayedOperationPurgatory.class
        .getProtectionDomain()
        .getCodeSource()
        .getLocation()
        .getPath();
  }

  /** The results of one JVM, read back from what it printed. */
  record Results(String origin, long reachable, OptionalDouble wakeUps, long earliestNanos) {

    static Results of(Properties printed) {
      String wakeUps = printed.getProperty("wakeUpsPerSecond");
      return new Results(
          printed.getProperty("origin"),
          Long.parseLong(printed.getProperty("reachable")),
          wakeUps == null ? OptionalDouble.empty() : OptionalDouble.of(Double.parseDouble(wakeUps)),
          Long.parseLong(printed.getProperty("earliestNanos")));
    }
  }
}
