package dev.purgatory.cli;

import dev.purgatory.cli.text.AlignedRows;
import dev.purgatory.cluster.load.LoadStats;
import dev.purgatory.cluster.probe.PurgatoryCounts;
import dev.purgatory.cluster.run.DemoResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.HdrHistogram.AbstractHistogram;

/** The table at the end of a demo, with one column per run and one row per value. */
final class DemoReport {
  private static final String NOT_COUNTED = "not counted";
  private static final String NO_VALUES = "-";

  private final List<DemoResult> runs;
  private final List<List<String>> rows = new ArrayList<>();

  private DemoReport(List<DemoResult> runs) {
    this.runs = List.copyOf(runs);
  }

  /**
   * Formats the table.
   *
   * @param runs the runs, from left to right
   * @return lines, each terminated by a line break
   */
  static String of(List<DemoResult> runs) {
    DemoReport report = new DemoReport(runs);
    report.row("", DemoResult::name);
    report.purgatories();
    report.brokers();
    report.clients();
    return AlignedRows.of(report.rows);
  }

  private void purgatories() {
    section("Purgatories of the nodes");
    counted("operations held", stats -> number(stats.held()));
    counted("completed by an event", stats -> number(stats.completed()));
    counted("expired", stats -> number(stats.expired()));
    counted("cancelled", stats -> number(stats.cancelled()));
    counted("still held at the end", stats -> number(stats.pending()));
    counted("lost with the killed node", stats -> number(stats.unaccounted()));
    counted("callbacks that threw", stats -> number(stats.errors()));
    counted("time held, p50", stats -> percentile(stats.heldMicros(), 50));
    counted("time held, p99", stats -> percentile(stats.heldMicros(), 99));
    counted("lateness of expirations, p50", stats -> percentile(stats.latenessMicros(), 50));
    counted("lateness of expirations, p99", stats -> percentile(stats.latenessMicros(), 99));
    row("reachable after completion", run -> number(run.retained()));
  }

  private void brokers() {
    section("Kafka's own meters of the nodes");
    row("fetches and produce requests expired", run -> number(run.nodes().meteredExpired()));
    row("largest PurgatorySize of all nodes", run -> number(run.maxWatched()));
    row("processor time under load", run -> seconds(run.cpuUnderLoad()));
  }

  private void clients() {
    section("Clients");
    client("messages sent", stats -> number(stats.sent()));
    client("acknowledged", stats -> number(stats.acknowledged()));
    client("received", stats -> number(stats.received()));
    client("messages lost", stats -> number(stats.lost()));
    client("duplicates", stats -> number(stats.duplicates()));
    client("delivered to all long polls", stats -> number(stats.delivered()));
    client("produce latency, p50", stats -> percentile(stats.latencyMicros(), 50));
    client("produce latency, p99", stats -> percentile(stats.latencyMicros(), 99));
    client("errors", stats -> number(stats.errors()));
  }

  private void section(String title) {
    rows.add(List.of());
    rows.add(List.of(title));
  }

  private void counted(String label, Function<PurgatoryCounts, String> value) {
    row(
        label,
        run -> {
          PurgatoryCounts stats = run.nodes().purgatories();
          return stats == null ? NOT_COUNTED : value.apply(stats);
        });
  }

  private void client(String label, Function<LoadStats, String> value) {
    row(label, run -> value.apply(run.clients()));
  }

  private void row(String label, Function<DemoResult, String> value) {
    List<String> row = new ArrayList<>();
    row.add("  " + label);
    runs.forEach(run -> row.add(value.apply(run)));
    rows.add(row);
  }

  private static String number(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }

  private static String seconds(Duration value) {
    return String.format(Locale.ROOT, "%.1f s", value.toMillis() / 1e3);
  }

  private static String percentile(AbstractHistogram micros, double percentile) {
    return micros.getTotalCount() == 0
        ? NO_VALUES
        : String.format(Locale.ROOT, "%,.2f ms", micros.getValueAtPercentile(percentile) / 1e3);
  }
}
