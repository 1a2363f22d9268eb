package dev.purgatory.cli.top;

import dev.purgatory.base.ForeignText;
import dev.purgatory.cli.text.AlignedRows;
import dev.purgatory.console.PurgatoryReading;
import dev.purgatory.console.PurgatoryReading.Counts;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** The purgatories of some processes as a table: a line for each purgatory. */
public final class TopTable {
  private static final String UNKNOWN = "-";
  private static final List<String> HEADER =
      List.of(
          "purgatory",
          "pending",
          "oldest",
          "held/s",
          "completed/s",
          "timed out/s",
          "cancelled/s",
          "failed/s",
          "errors",
          "late p99",
          "wakes in");

  private TopTable() {}

  /**
   * Formats the table.
   *
   * @return lines, each terminated by a line break
   */
  public static String of(List<WatchedProcess> processes) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(HEADER);
    for (WatchedProcess process : processes) {
      rows.add(List.of(process.title() + process.obstacle().map(each -> ", " + each).orElse("")));
      if (process.obstacle().isEmpty() && process.rows().isEmpty()) {
        rows.add(List.of("  no MBean of a purgatory: see PurgatoryBuilder.mxBean()"));
      }
      process.rows().forEach(row -> rows.add(cells(row)));
    }
    return AlignedRows.of(rows);
  }

  private static List<String> cells(WatchedProcess.Row row) {
    PurgatoryReading now = row.now();
    Counts total = now.counts();
    return List.of(
        "  " + ForeignText.of(now.name()),
        count(now.pending()),
        now.oldestMillis() == null || now.pending() == 0 ? UNKNOWN : millis(now.oldestMillis()),
        rate(row.perSecond(), Counts::held),
        rate(row.perSecond(), Counts::completed),
        rate(row.perSecond(), Counts::timedOut),
        rate(row.perSecond(), each -> each.cancelled() + each.closed()),
        rate(row.perSecond(), Counts::failed),
        total == null ? UNKNOWN : count((long) total.errors()),
        now.lateMillis() == null || total == null || total.timedOut() == 0
            ? UNKNOWN
            : String.format(Locale.ROOT, "%,.1f ms", now.lateMillis()),
        now.nextDueMillis() == null || now.nextDueMillis() < 0
            ? UNKNOWN
            : millis(now.nextDueMillis()));
  }

  private static String count(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }

  private static String rate(@Nullable Counts perSecond, ToDoubleFunction<Counts> of) {
    if (perSecond == null) {
      return UNKNOWN;
    }
    double value = of.applyAsDouble(perSecond);
    return value == 0 ? "0" : String.format(Locale.ROOT, value < 9.95 ? "%.1f" : "%,.0f", value);
  }

  private static String millis(long millis) {
    if (millis < 1_000) {
      return millis + " ms";
    }
    long seconds = millis / 1_000;
    if (seconds < 60) {
      return String.format(Locale.ROOT, "%.1f s", millis / 1e3);
    }
    return seconds < 3_600
        ? String.format(Locale.ROOT, "%d min %d s", seconds / 60, seconds % 60)
        : String.format(Locale.ROOT, "%,d h %d min", seconds / 3_600, seconds / 60 % 60);
  }
}
