package dev.purgatory.benchmarks.soak;

/** The metrics of a soak. */
enum Metric {
  IDLE_HEAP("heap after a collection, nothing pending", "bytes", 20 << 20),
  STEADY_HEAP("heap after a collection, steady load", "bytes", 20 << 20),
  IDLE_ENTRIES("entries and keys kept, nothing pending", "entries", 5_000),
  ENTRIES_IN_TIMER("entries kept by the timer", "entries", Metric.NOT_JUDGED),
  ENTRIES_ON_LISTS("entries kept on lists", "entries", Metric.NOT_JUDGED),
  PENDING("operations pending", "operations", Metric.NOT_JUDGED),
  THREADS("threads", "threads", 10),
  LATENESS("lateness of timeouts, p99", "ns", 100_000_000);

  private static final double NOT_JUDGED = Double.POSITIVE_INFINITY;

  private final String title;
  private final String unit;
  private final double slack;

  Metric(String title, String unit, double slack) {
    this.title = title;
    this.unit = unit;
    this.slack = slack;
  }

  String title() {
    return title;
  }

  String unit() {
    return unit;
  }

  /** Returns the absolute growth that is permitted in addition to the relative one. */
  double slack() {
    return slack;
  }
}
