package dev.purgatory.benchmarks.measure;

import dev.purgatory.benchmarks.contender.Contender;
import dev.purgatory.benchmarks.contender.Endings;
import dev.purgatory.benchmarks.workload.Generators;
import dev.purgatory.benchmarks.workload.Ledger;
import dev.purgatory.benchmarks.workload.Load;
import dev.purgatory.benchmarks.workload.Schedule;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;

/**
 * One run of generators into a contender. CPU and collections are those of the whole JVM, from the
 * first arrival to the last end.
 */
final class EnqueueRun {
  /** For what timed out in the last moment to be ended. */
  private static final Duration DRAIN = Duration.ofSeconds(2);

  private final Ledger ledger = new Ledger();
  private final List<Schedule> schedules;
  private Load load = Load.NONE;
  private Usage used = Usage.now();
  private boolean keepsTime = true;

  /** Creates a run with a generator for each schedule. */
  EnqueueRun(List<Schedule> schedules) {
    this.schedules = schedules;
  }

  /**
   * Runs.
   *
   * @param limit after which no further requests are held, so that what is too slow ends too
   */
  void measure(Function<Endings, Contender> opening, Duration limit) throws InterruptedException {
    System.gc();
    try (Contender contender = opening.apply(ledger)) {
      keepsTime = contender.keepsTime();
      Usage before = Usage.now();
      load = Generators.run(contender, schedules, limit);
      int toEnd = keepsTime ? load.requests() : 0;
      Waiting.until(() -> ledger.ended() >= toEnd, DRAIN);
      used = Usage.now().since(before);
    }
  }

  void tellCost(Output out) {
    out.higherIsBetter("rate", "requests/s", load.rate());
    out.lowerIsBetter("CPU per request", "us", used.cpuNanos() / 1e3 / load.requests());
    double unended = load.requests() - ledger.ended() - unkept();
    out.lowerIsBetter("without an end", "requests", unended);
  }

  void tellCollections(Output out) {
    out.lowerIsBetter("young collections", "ms/s", perSecond(used.youngMillis()));
    out.lowerIsBetter("old collections", "ms/s", perSecond(used.oldMillis()));
  }

  void tellTimeouts(Output out) {
    out.lowerIsBetter("timed out", "%", 100.0 * timedOut() / load.requests());
  }

  void tellLag(Output out) {
    out.lowerIsBetter("behind schedule, p99", "ms", lag(99));
    out.lowerIsBetter("behind schedule, max", "ms", lag(100));
  }

  private double perSecond(long millis) {
    return millis * 1e9 / load.length().toNanos();
  }

  private double lag(double percentile) {
    return load.lagNanos().getValueAtPercentile(percentile) / 1e6;
  }

  private long timedOut() {
    return ledger.timedOut() + unkept();
  }

  /** What would have timed out, if the floor kept the time. */
  private long unkept() {
    return keepsTime ? 0 : load.requests() - load.toComplete();
  }
}
