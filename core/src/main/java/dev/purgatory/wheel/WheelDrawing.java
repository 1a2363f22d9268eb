package dev.purgatory.wheel;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/** A drawing of a timer's wheels as text. Adds up the stripes. Not thread-safe. */
final class WheelDrawing {

  /** The maximum number of rows of a level. */
  static final int MAX_ROWS = 16;

  /** How many entries of a bucket are examined. If it has more, the ended ones are estimated. */
  private static final int EXAMINED = 4096;

  private static final String[] UNITS = {"d", "h", "min", "s", "ms", "us", "ns"};
  private static final long[] NANOS = {
    86_400_000_000_000L, 3_600_000_000_000L, 60_000_000_000L, 1_000_000_000L, 1_000_000L, 1_000L, 1
  };

  /** A level of wheels with this tick; resolution 0: the entries that are due. */
  private record Level(long tick, int size, long resolution) implements Comparable<Level> {
    private static final Comparator<Level> ORDER =
        Comparator.comparingLong(Level::tick)
            .thenComparingInt(Level::size)
            .thenComparingLong(Level::resolution);

    @Override
    public int compareTo(Level other) {
      return ORDER.compare(this, other);
    }

    String title() {
      if (resolution == 0) {
        return "due";
      }
      int number = 1;
      for (long rest = resolution; rest > 1; rest /= size) {
        number++;
      }
      double reach = 2.0 * size * resolution * tick;
      return "level "
          + number
          + ", "
          + time(product(resolution, tick))
          + " per bucket, "
          + (reach < Long.MAX_VALUE ? time((long) reach) : "292 years")
          + " per turn";
    }
  }

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
  private final NavigableMap<Level, NavigableMap<Long, Row>> levels = new TreeMap<>();

  WheelDrawing(long now, long nextDue, int scheduled, int retained) {
    this.now = now;
    String next = nextDue == TimingWheels.NEVER ? "" : ", next due " + when(nextDue);
    this.title = "%s scheduled, %s kept%s\n".formatted(scheduled, retained, next);
  }

  WheelDrawing addAll(Stripe[] stripes) {
    for (Stripe stripe : stripes) {
      for (int at = 0; at >= 0; ) {
        at = stripe.visit(at, this::add);
      }
    }
    return this;
  }

  /** Returns how many entries it examined. */
  private int add(TimingWheels wheels, Bucket bucket) {
    int size = bucket.size();
    if (size == 0) {
      return 0;
    }
    boolean isDue = bucket == wheels.due();
    long tick = wheels.tickNanos();
    long start = product(isDue ? wheels.clock() : bucket.start(), tick);
    long ended = bucket.countEnded(EXAMINED) * (long) size / Math.min(size, EXAMINED);
    levels
        .computeIfAbsent(
            new Level(tick, wheels.wheelSize(), isDue ? 0 : bucket.resolution),
            level -> new TreeMap<>())
        .merge(start, new Row(start, start, size - ended, ended), Row::plus);
    return Math.min(size, EXAMINED);
  }

  private static long product(long ticks, long tickNanos) {
    return ticks > Long.MAX_VALUE / tickNanos ? Long.MAX_VALUE : ticks * tickNanos;
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(title);
    Level last = null;
    for (Level level : levels.keySet()) {
      if (last == null || last.tick != level.tick || last.size != level.size) {
        text.append("tick %s, %s buckets per wheel\n".formatted(time(level.tick), level.size));
      }
      draw(level, List.copyOf(levels.get(level).values()), text);
      last = level;
    }
    return text.toString();
  }

  private void draw(Level level, List<Row> buckets, StringBuilder text) {
    Row all = buckets.stream().reduce(Row::plus).orElseThrow();
    text.append("  %s: %s\n".formatted(level.title(), all.counts()));
    if (level.resolution > 0) {
      for (Row row : summarize(buckets)) {
        String last = row.first == row.last ? "" : " to " + when(row.last);
        text.append("    %s%s: %s\n".formatted(when(row.first), last, row.counts()));
      }
    }
  }

  private static List<Row> summarize(List<Row> buckets) {
    int perRow = (buckets.size() + MAX_ROWS - 1) / MAX_ROWS;
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < buckets.size(); i += perRow) {
      List<Row> some = buckets.subList(i, Math.min(i + perRow, buckets.size()));
      rows.add(some.stream().reduce(Row::plus).orElseThrow());
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
