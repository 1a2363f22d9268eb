package dev.purgatory.benchmarks.report;

import static java.util.Map.entry;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Creates titles that read as phrases from metrics and parameters. */
final class Phrases {
  /** The start of titles that contain their unit. */
  static final String PER_SECOND = "Requests per second";

  private static final String RATE = "rate";

  /** Phrases for metrics whose names are not self-explanatory; other names are capitalized. */
  private static final Map<String, String> METRICS =
      Map.ofEntries(
          entry(RATE, PER_SECOND),
          entry("CPU per request", "Processor time per request"),
          entry("CPU of compilers per request", "Processor time of compilers per request"),
          entry("CPU", "Processor time"),
          entry("late", "Lateness of timeouts"),
          entry("early", "Earliness of timeouts"),
          entry("timed out", "Requests that timed out"),
          entry("without an end", "Requests that neither completed nor timed out"),
          entry("young collections per request", "Time in young collections per request"),
          entry("old collections per request", "Time in old collections per request"),
          entry("watching", "Time to watch one operation"),
          entry("completing", "Time to complete one operation"),
          entry("still reachable after completion", "Requests still reachable after completion"),
          entry("held to wake-up", "Time from the event to the answer"),
          entry("cancel and add", "Time to cancel a timeout and add another"),
          entry("burst, time", "Time until all timeouts of a burst have ended"),
          entry("burst, lateness of another", "Lateness of another timeout during a burst"));

  private static final Map<String, String> STATISTICS =
      Map.ofEntries(
          entry("p50", "median"),
          entry("p99", "99th percentile"),
          entry("p99.9", "99.9th percentile"),
          entry("max", "maximum"),
          entry("most", "maximum"));

  /** Phrases for the parameter of an axis. */
  private static final Map<String, String> AXES =
      Map.ofEntries(
          entry(RATE, "target rate"),
          entry("keys", "number of keys"),
          entry("pending", "pending operations"),
          entry("threads", "number of threads"),
          entry("step", "steps"),
          entry("seconds", "time"));

  /** The units of axes that are not plain numbers. */
  private static final Map<String, String> AXIS_UNITS =
      Map.ofEntries(
          entry(RATE, "requests per second"),
          entry("step", "each consumer polls twice"),
          entry("seconds", "s"));

  /** What contenders are, for readers of a chart. */
  private static final Map<String, String> CONTENDERS =
      Map.ofEntries(
          entry("purgatory", "this library"),
          entry("purgatory-kafka", "the drop-in"),
          entry("kafka", "Kafka's own classes"),
          entry("delay-queue", "Kafka 0.8's design"),
          entry("map+stpe", "JDK's scheduled pool"),
          entry("map+netty", "Netty's wheel"),
          entry("map+fjp", "JDK 25's ForkJoinPool"),
          entry("weak-lists", "weak references"),
          entry("floor", "the load alone"));

  /** Phrases for parameters. The asterisk stands for the value, "(s)" for the plural. */
  private static final Map<String, String> PARAMETERS =
      Map.ofEntries(
          entry("mix", "* mix"),
          entry("timeout", "* timeout"),
          entry("gc", "*"),
          entry("keys", "* key(s)"),
          entry("pending", "* pending"),
          entry("threads", "* thread(s)"),
          entry("wheel", "wheel of *"),
          entry("purgatories", "* purgatories"),
          entry("waiters", "* waiter(s)"),
          entry("timeouts", "* timeout(s)"),
          entry("consumers", "* consumer(s)"),
          entry("partitions", "* partition(s) each"),
          entry("held", "* held"));

  private Phrases() {}

  /**
   * Returns a title without the unit.
   *
   * @param metric the metric
   * @param axis the parameter that varies; empty if none does
   * @param fixed the parameters that do not vary
   */
  static String title(String metric, Optional<String> axis, Map<String, String> fixed) {
    List<String> parts = new ArrayList<>();
    parts.add(metric(metric, rate(fixed)));
    axis.ifPresent(name -> parts.add("against " + AXES.getOrDefault(name, name)));
    fixed.forEach(
        (name, value) -> {
          if (!name.equals(RATE)) {
            parts.add(parameter(name, value));
          }
        });
    return String.join(", ", parts);
  }

  /** Returns the name of an axis with its unit. */
  static String axis(String name) {
    String label = AXES.getOrDefault(name, name);
    String unit = AXIS_UNITS.get(name);
    return unit == null ? label : label + " (" + unit + ")";
  }

  /**
   * Returns the name of a metric with its unit, for an axis. The statistic is in the title.
   *
   * @param metric the metric
   * @param unit the unit in which it is displayed; empty if it has none
   */
  static String axis(String metric, String unit) {
    int comma = metric.lastIndexOf(", ");
    boolean hasStatistic = comma >= 0 && STATISTICS.containsKey(metric.substring(comma + 2));
    String phrase = metric(hasStatistic ? metric.substring(0, comma) : metric, "");
    String label = phrase.substring(0, 1).toLowerCase(Locale.ROOT) + phrase.substring(1);
    boolean isNamed = unit.isEmpty() || label.equals(unit) || phrase.startsWith(PER_SECOND);
    return isNamed ? label : label + " (" + unit + ")";
  }

  /** Returns the name of a contender, and what it is if that is known. */
  static String contender(String name) {
    String what = CONTENDERS.get(name);
    return what == null ? name : name + " (" + what + ")";
  }

  /** Returns a phrase for a metric at a rate, followed by the statistic in the metric's name. */
  private static String metric(String name, String rate) {
    int comma = name.lastIndexOf(", ");
    String statistic = comma < 0 ? "" : name.substring(comma + 2);
    if (!STATISTICS.containsKey(statistic)) {
      return METRICS.getOrDefault(name, capitalized(name)) + rate;
    }
    return metric(name.substring(0, comma), rate) + ", " + STATISTICS.get(statistic);
  }

  private static String capitalized(String text) {
    return text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1);
  }

  private static String rate(Map<String, String> fixed) {
    String rate = fixed.getOrDefault(RATE, "");
    if (rate.isEmpty()) {
      return "";
    }
    if (rate.equals("max")) {
      return " at saturation";
    }
    return Parameters.isNumber(rate)
        ? " at a target of " + Parameters.text(rate) + " per second"
        : " at " + rate;
  }

  private static String parameter(String name, String value) {
    String text = Parameters.text(value);
    return PARAMETERS
        .getOrDefault(name, name + " *")
        .replace("*", text)
        .replace("(s)", value.equals("1") ? "" : "s");
  }
}
