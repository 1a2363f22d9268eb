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
    CancelledTasksProbe.Kept kept = CancelledTasksProbe.measure();
    results.put("cancelled.reachable", kept.reachable());
    results.put("cancelled.bytes", kept.bytes());
    results.put("cancelled.size", kept.size());
    results.put("longestCheckNanos", ConcurrentChecksProbe.longestNanos());
    results.put("timerlessDelayed", TimerlessProbe.numDelayed());
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
  record Results(
      String origin,
      long reachable,
      OptionalDouble wakeUps,
      long earliestNanos,
      CancelledTasksProbe.Kept cancelled,
      long longestCheckNanos,
      long timerlessDelayed) {

    static Results of(Properties printed) {
      String wakeUps = printed.getProperty("wakeUpsPerSecond");
      return new Results(
          printed.getProperty("origin"),
          number(printed, "reachable"),
          wakeUps == null ? OptionalDouble.empty() : OptionalDouble.of(Double.parseDouble(wakeUps)),
          number(printed, "earliestNanos"),
          new CancelledTasksProbe.Kept(
              number(printed, "cancelled.reachable"),
              number(printed, "cancelled.bytes"),
              number(printed, "cancelled.size")),
          number(printed, "longestCheckNanos"),
          number(printed, "timerlessDelayed"));
    }

    private static long number(Properties printed, String name) {
      return Long.parseLong(printed.getProperty(name));
    }
  }
}
