package dev.purgatory.console;

import dev.purgatory.threads.TimerInternals;
import dev.purgatory.timer.Timer;
import dev.purgatory.wheel.BucketContent;
import java.util.ArrayList;
import java.util.List;

/** Draws a timer's wheels as text. */
public final class WheelDrawing {

  /** The maximum number of rows of a level. */
  static final int MAX_ROWS = 16;

  private static final String[] UNITS = {"d", "h", "min", "s", "ms", "us", "ns"};
  private static final long[] NANOS = {
    86_400_000_000_000L, 3_600_000_000_000L, 60_000_000_000L, 1_000_000_000L, 1_000_000L, 1_000L, 1
  };

  /** The entries of consecutive buckets. */
  private record Row(long first, long last, long pending, long ended) {
    Row plus(Row other) {
      return new Row(
          Math.min(first, other.first),
          Math.max(last, other.last),
          pending + other.pending,
          ended + other.ended);
    }

    String counts() {
      return pending + " pending" + (ended == 0 ? "" : ", " + ended + " ended");
    }
  }

  private final long now;
  private final String title;
  private final List<WheelLevel> levels;

  private WheelDrawing(Timer timer) {
    now = timer.now();
    long nextDue = timer.nextDue();
    String next = nextDue == Long.MAX_VALUE ? "" : ", next due " + when(nextDue);
    title =
        "%s scheduled, %s kept%s\n"
            .formatted(timer.size(), TimerInternals.of(timer).wheels().retained(), next);
    levels = WheelLevel.of(timer, 0);
  }

  /**
   * Draws the wheels: for each level, its reach, its buckets with entries, and how many entries are
   * pending or ended. Locks the wheels for short steps only, so the numbers of a busy timer are
   * from different moments. Takes time in proportion to the number of buckets and entries.
   *
   * @param timer any timer
   * @return at most 17 lines per level
   */
  public static String of(Timer timer) {
    return new WheelDrawing(timer).toString();
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(title);
    WheelLevel last = null;
    for (WheelLevel level : levels) {
      if (last == null
          || last.tickNanos() != level.tickNanos()
          || last.wheelSize() != level.wheelSize()) {
        text.append(
            "tick %s, %s buckets per wheel\n"
                .formatted(time(level.tickNanos()), level.wheelSize()));
      }
      draw(level, text);
      last = level;
    }
    return text.toString();
  }

  private void draw(WheelLevel level, StringBuilder text) {
    Row all = new Row(0, 0, level.pending(), level.ended());
    text.append("  %s: %s\n".formatted(title(level), all.counts()));
    if (level.resolution() > 0) {
      for (Row row : summarize(level.buckets())) {
        String last = row.first == row.last ? "" : " to " + when(row.last);
        text.append("    %s%s: %s\n".formatted(when(row.first), last, row.counts()));
      }
    }
  }

  private static String title(WheelLevel level) {
    if (level.resolution() == 0) {
      return "due";
    }
    double reach = 2.0 * level.wheelSize() * level.resolution() * level.tickNanos();
    return "level "
        + level.number()
        + ", "
        + time(level.bucketNanos())
        + " per bucket, "
        + (reach < Long.MAX_VALUE ? time((long) reach) : "292 years")
        + " per turn";
  }

  private static List<Row> summarize(List<BucketContent> buckets) {
    int perRow = (buckets.size() + MAX_ROWS - 1) / MAX_ROWS;
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < buckets.size(); i += perRow) {
      buckets.subList(i, Math.min(i + perRow, buckets.size())).stream()
          .map(each -> new Row(each.start(), each.start(), each.pending(), each.ended()))
          .reduce(Row::plus)
          .ifPresent(rows::add);
    }
    return rows;
  }

  private String when(long nanos) {
    if (nanos == now) {
      return "now";
    }
    return nanos > now ? "in " + time(nanos - now) : time(now - nanos) + " ago";
  }

  /** Returns a time in the largest unit that it has one of, with at most one decimal place. */
  private static String time(long nanos) {
    int unit = 0;
    while (unit < NANOS.length - 1 && nanos < NANOS[unit]) {
      unit++;
    }
    long tenths = nanos % NANOS[unit] / Math.max(1, NANOS[unit] / 10);
    return nanos / NANOS[unit] + (tenths == 0 ? "" : "." + tenths) + " " + UNITS[unit];
  }
}
