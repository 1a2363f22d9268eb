package dev.purgatory.benchmarks.measure;

import dev.purgatory.benchmarks.contender.Contender;
import dev.purgatory.benchmarks.contender.Endings;
import dev.purgatory.benchmarks.jvm.Usage;
import dev.purgatory.benchmarks.workload.Generators;
import dev.purgatory.benchmarks.workload.Ledger;
import dev.purgatory.benchmarks.workload.Load;
import dev.purgatory.benchmarks.workload.Schedule;
import dev.purgatory.benchmarks.workload.Trigger;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.HdrHistogram.Histogram;

/**
 * One run of generators into a contender. Rate, processor time, collections and completion lag are
 * those of a window that begins after a lead-in; CPU time and collections are of the whole JVM.
 */
final class EnqueueRun {
  /** For what timed out in the last moment to be ended. */
  private static final Duration DRAIN = Duration.ofSeconds(2);

  /** For how long requests arrive after the window. */
  private static final Duration LEAD_OUT = Duration.ofMillis(100);

  private final Ledger ledger = new Ledger();
  private final List<Schedule> schedules;
  private final Trigger trigger;
  private Load load = Load.NONE;
  private Reading window = new Reading(0, 0, new Usage(0, 0, 0));
  private Histogram completionLag = new Histogram(2);
  private boolean keepsTime = true;

  /** Creates a run with a generator for each schedule. */
  EnqueueRun(List<Schedule> schedules, Trigger trigger) {
    this.schedules = schedules;
    this.trigger = trigger;
  }

  /** What has happened up to a moment, or between two. */
  private record Reading(long nanos, long requests, Usage usage) {
    static Reading of(Generators generators) {
      return new Reading(System.nanoTime(), generators.held(), Usage.now());
    }

    Reading since(Reading before) {
      return new Reading(
          nanos - before.nanos, requests - before.requests, usage.since(before.usage));
    }
  }

  /**
   * Runs.
   *
   * @param leadIn how long requests arrive before the window
   * @param length of the window
   */
  void measure(Function<Endings, Contender> opening, Duration leadIn, Duration length)
      throws InterruptedException {
    System.gc();
    try (Contender contender = opening.apply(ledger)) {
      keepsTime = contender.keepsTime();
      Duration limit = leadIn.plus(length).plus(LEAD_OUT);
      Generators generators = Generators.start(contender, trigger, schedules, limit);
      Thread.sleep(leadIn.toMillis());
      observe(generators, length);
      load = generators.await();
      int toEnd = keepsTime ? load.requests() : 0;
      Waiting.until(() -> ledger.ended() >= toEnd, DRAIN);
    }
  }

  private void observe(Generators generators, Duration length) throws InterruptedException {
    generators.completionLagNanos(); // Forgets the lead-in.
    Reading before = Reading.of(generators);
    Thread.sleep(length.toMillis());
    window = Reading.of(generators).since(before);
    completionLag = generators.completionLagNanos();
  }

  void tellCost(Output out) {
    if (window.requests() == 0) {
      throw new IllegalStateException("no request was held while the window was open");
    }
    out.higherIsBetter("rate", "requests/s", window.requests() * 1e9 / window.nanos());
    out.lowerIsBetter("CPU per request", "us", window.usage().cpuNanos() / 1e3 / window.requests());
    double unended = load.requests() - ledger.ended() - unkept();
    out.lowerIsBetter("without an end", "requests", unended);
  }

  void tellCollections(Output out) {
    out.lowerIsBetter("young collections", "ms/s", perSecond(window.usage().youngMillis()));
    out.lowerIsBetter("old collections", "ms/s", perSecond(window.usage().oldMillis()));
  }

  void tellTimeouts(Output out) {
    out.lowerIsBetter("timed out", "%", 100.0 * timedOut() / load.requests());
  }

  void tellLag(Output out) {
    out.lowerIsBetter("completion lag, p50", "ms", lag(50));
    out.lowerIsBetter("completion lag, p99", "ms", lag(99));
    out.lowerIsBetter("completion lag, max", "ms", lag(100));
  }

  private double perSecond(long millis) {
    return millis * 1e9 / window.nanos();
  }

  private double lag(double percentile) {
    return completionLag.getValueAtPercentile(percentile) / 1e6;
  }

  private long timedOut() {
    return ledger.timedOut() + unkept();
  }

  /** What would have timed out, if the floor kept the time. */
  private long unkept() {
    return keepsTime ? 0 : load.requests() - load.toComplete();
  }
}
