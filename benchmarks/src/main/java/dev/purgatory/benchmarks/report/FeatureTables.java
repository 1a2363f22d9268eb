package dev.purgatory.benchmarks.report;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Defines the tables on the published page that compare with the best rival. */
final class FeatureTables {
  private static final double NANOS_PER_MICRO = 1e3;

  private FeatureTables() {}

  static void addTo(Map<String, List<Column>> tables) {
    add(tables, "features-thresholds", thresholds());
    add(tables, "features-replies", replies());
    for (String jdk : List.of("17", "25")) {
      add(tables, "features-limits-" + jdk, stageTimeouts(Map.of("jdk", jdk)));
    }
    add(tables, "features-sessions", sessions());
    add(tables, "features-scopes", scopes());
    add(tables, "features-replies-paced", pacedReplies());
    add(tables, "features-limits-paced", pacedStageTimeouts());
    add(tables, "features-replies-burst", burst("replies"));
    add(tables, "adapters-paced", pacedTimers());
    add(tables, "adapters-cancel", farCancels());
    add(tables, "adapters-burst", burst("timer-burst"));
  }

  private static void add(Map<String, List<Column>> tables, String name, List<Column> columns) {
    tables.put(name, columns.stream().map(Column::againstTheBest).toList());
  }

  private static List<Column> thresholds() {
    String both = "advance and new waiters, ";
    return List.of(
        column("advance (µs)", "thresholds", "advance, time").in(NANOS_PER_MICRO),
        column("advance and ten new waiters (µs)", "thresholds", both + "time").in(NANOS_PER_MICRO),
        column("CPU of both (µs)", "thresholds", both + "CPU").in(NANOS_PER_MICRO),
        column("allocated for both (bytes)", "thresholds", both + "allocation"));
  }

  private static List<Column> replies() {
    return List.of(
        column("time (ns)", "replies", "reply, time"),
        column("CPU (ns)", "replies", "reply, CPU"),
        column("allocated (bytes)", "replies", "reply, allocation"),
        column("while awaited (bytes)", "replies", "heap per awaited reply"),
        column("left (bytes)", "replies", "heap left per reply"));
  }

  private static List<Column> stageTimeouts(Map<String, String> jdk) {
    return List.of(
        Column.of("time (ns)", "limits", "limit, time", jdk),
        Column.of("CPU (ns)", "limits", "limit, CPU", jdk),
        Column.of("allocated (bytes)", "limits", "limit, allocation", jdk),
        Column.of("left when completed (bytes)", "limits", "heap left per completed stage", jdk),
        Column.of("left when failed (bytes)", "limits", "heap left per failed stage", jdk));
  }

  private static List<Column> sessions() {
    return List.of(
        column("touch (ns)", "sessions", "touch, time"),
        column("CPU (ns)", "sessions", "touch, CPU"),
        column("allocated (bytes)", "sessions", "touch, allocation"),
        column("per session (bytes)", "sessions", "heap per session"));
  }

  private static List<Column> scopes() {
    return Stream.of("10000", "1000000")
        .map(
            among ->
                Column.of(
                    "one of " + Parameters.text(among) + " (ns)",
                    "scopes",
                    "cancelling one request, time",
                    Map.of("among", among)))
        .toList();
  }

  private static List<Column> pacedReplies() {
    return List.of(
        column("CPU (µs)", "replies", "paced reply, CPU"),
        column("wake-ups", "replies", "paced reply, wake-ups"));
  }

  private static List<Column> pacedStageTimeouts() {
    return Stream.of("17", "25")
        .flatMap(
            jdk ->
                Stream.of(
                    Column.of(
                        "JDK " + jdk + ": CPU (µs)",
                        "limits",
                        "paced limit, CPU",
                        Map.of("jdk", jdk)),
                    Column.of(
                        "JDK " + jdk + ": wake-ups",
                        "limits",
                        "paced limit, wake-ups",
                        Map.of("jdk", jdk))))
        .toList();
  }

  private static List<Column> pacedTimers() {
    return List.of(
        column("CPU (µs)", "timer-pace", "paced cancel and add, CPU"),
        column("wake-ups", "timer-pace", "paced cancel and add, wake-ups"));
  }

  private static List<Column> farCancels() {
    String both = "add here, cancel there, ";
    return List.of(
        column("time (ns)", "timer-cancel", both + "time"),
        column("CPU (ns)", "timer-cancel", both + "CPU"),
        column("allocated (bytes)", "timer-cancel", both + "allocation"));
  }

  private static List<Column> burst(String bench) {
    return List.of(
        column("until all have ended (ms)", bench, "burst, time"),
        column("CPU (ms)", bench, "burst, CPU"),
        column("another timeout is late (ms)", bench, "burst, lateness of another"));
  }

  private static Column column(String heading, String bench, String metric) {
    return Column.of(heading, bench, metric, Map.of());
  }
}
