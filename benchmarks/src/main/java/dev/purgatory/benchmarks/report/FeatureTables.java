package dev.purgatory.benchmarks.report;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Defines the tables of features on the published page. */
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

  private static Column column(String heading, String bench, String metric) {
    return Column.of(heading, bench, metric, Map.of());
  }
}
