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
 * A run in which generators send requests to a contender. Rate, processor time, collections and
 * completion lag are measured in a window that opens after a lead-in. Processor time and
 * collections are those of the whole JVM.
 */
final class EnqueueRun {
  /** How long the window stays open if no request is held. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final Ledger ledger = new Ledger();
  private final List<Schedule> schedules;
  private final Trigger trigger;
  private final Duration drain;
  private Load load = Load.NONE;
  private Reading window = new Reading(0, 0, new Usage(0, 0, 0));
  private Histogram completionLag = new Histogram(2);
  private long ended;
  private boolean hasTimeouts = true;

  /**
   * Creates a run with one generator per schedule.
   *
   * @param drain the longest time to wait for requests to end after the generators have stopped
   */
  EnqueueRun(List<Schedule> schedules, Trigger trigger, Duration drain) {
    this.schedules = schedules;
    this.trigger = trigger;
    this.drain = drain;
  }

  /** The state at a point in time, or the difference between two. */
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
   * Runs the generators and measures.
   *
   * @param leadIn how long requests arrive before the window opens
   * @param length the length of the window; it is extended until a request is held
   */
  void measure(Function<Endings, Contender> opening, Duration leadIn, Duration length)
      throws InterruptedException {
    System.gc();
    try (Contender contender = opening.apply(ledger)) {
      hasTimeouts = contender.hasTimeouts();
      Generators generators = Generators.start(contender, trigger, schedules);
      try {
        Thread.sleep(leadIn.toMillis());
        observe(generators, length);
      } finally {
        generators.stop();
      }
      load = generators.await();
      int toEnd = hasTimeouts ? load.requests() : 0;
      Waiting.until(() -> ledger.ended() >= toEnd, drain);
      ended = ledger.ended(); // before the contender is closed, which may end requests
    }
  }

  private void observe(Generators generators, Duration length) throws InterruptedException {
    generators.completionLagNanos(); // discards the lead-in
    Reading before = Reading.of(generators);
    Thread.sleep(length.toMillis());
    Waiting.until(() -> generators.held() > before.requests(), PATIENCE);
    window = Reading.of(generators).since(before);
    completionLag = generators.completionLagNanos();
  }

  void reportCost(Output out) {
    if (window.requests() == 0) {
      throw new IllegalStateException("no request was held while the window was open");
    }
    out.higherIsBetter("rate", "requests/s", window.requests() * 1e9 / window.nanos());
    out.lowerIsBetter("CPU per request", "us", window.usage().cpuNanos() / 1e3 / window.requests());
    double unended = load.requests() - ended - withoutTimeouts();
    out.lowerIsBetter("without an end", "requests", unended);
  }

  void reportCollections(Output out) {
    out.lowerIsBetter(
        "young collections per request", "us", perRequest(window.usage().youngMillis()));
    out.lowerIsBetter("old collections per request", "us", perRequest(window.usage().oldMillis()));
  }

  void reportTimeouts(Output out) {
    out.lowerIsBetter("timed out", "%", 100.0 * timedOut() / load.requests());
  }

  void reportLag(Output out) {
    out.lowerIsBetter("completion lag, p50", "ms", lag(50));
    out.lowerIsBetter("completion lag, p99", "ms", lag(99));
    out.lowerIsBetter("completion lag, max", "ms", lag(100));
  }

  private double perRequest(long millis) {
    return millis * 1e3 / window.requests();
  }

  private double lag(double percentile) {
    return completionLag.getValueAtPercentile(percentile) / 1e6;
  }

  private long timedOut() {
    return ledger.timedOut() + withoutTimeouts();
  }

  /** Returns the number of requests that would have timed out if the floor had timeouts. */
  private long withoutTimeouts() {
    return hasTimeouts ? 0 : load.requests() - load.toComplete();
  }
}
