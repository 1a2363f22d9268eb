package dev.purgatory.kafka.versus;

import java.util.Map;
import java.util.OptionalDouble;
import java.util.Properties;
import java.util.TreeMap;
import org.apache.kafka.server.purgatory.DelayedOperationPurgatory;

/**
 * The program that runs in both JVMs. It measures the purgatory on its class path through Kafka's
 * API and prints one line {@code name=value} per result.
 */
public final class Probes {
  private Probes() {}

  /** Takes no arguments. */
  public static void main(String[] args) throws Exception {
    Map<String, Object> results = new TreeMap<>();
    results.put("origin", origin());
    results.put("lostWakeUps", WakeUpProbe.lost());
    results.put("reachable", ReachabilityProbe.measure());
    OptionalDouble wakeUps = IdleProbe.wakeUpsPerSecond();
    wakeUps.ifPresent(rate -> results.put("wakeUpsPerSecond", rate));
    results.put("earliestNanos", EarlinessProbe.earliestNanos());
    CancelledTasksProbe.Retained cancelled = CancelledTasksProbe.measure();
    results.put("cancelled.reachable", cancelled.reachable());
    results.put("cancelled.bytes", cancelled.bytes());
    results.put("cancelled.size", cancelled.size());
    results.put("timerlessDelayed", TimerlessProbe.numDelayed());
    results.forEach((name, value) -> System.out.println(name + "=" + value));
  }

  /** Returns where the classes under test were loaded from. */
  static String origin() {
    return originOf(DelayedOperationPurgatory.class);
  }

  static String originOf(Class<?> loaded) {
    return loaded.getProtectionDomain().getCodeSource().getLocation().getPath();
  }

  /** The results of one JVM, parsed from its output. */
  record Results(
      String origin,
      long lostWakeUps,
      long reachable,
      OptionalDouble wakeUps,
      long earliestNanos,
      CancelledTasksProbe.Retained cancelled,
      long timerlessDelayed) {

    static Results of(Properties printed) {
      String wakeUps = printed.getProperty("wakeUpsPerSecond");
      return new Results(
          printed.getProperty("origin"),
          number(printed, "lostWakeUps"),
          number(printed, "reachable"),
          wakeUps == null ? OptionalDouble.empty() : OptionalDouble.of(Double.parseDouble(wakeUps)),
          number(printed, "earliestNanos"),
          new CancelledTasksProbe.Retained(
              number(printed, "cancelled.reachable"),
              number(printed, "cancelled.bytes"),
              number(printed, "cancelled.size")),
          number(printed, "timerlessDelayed"));
    }

    private static long number(Properties printed, String name) {
      return Long.parseLong(printed.getProperty(name));
    }
  }
}
