package dev.purgatory.benchmarks.measure;

import dev.purgatory.benchmarks.contender.Contender;
import dev.purgatory.benchmarks.contender.Contenders;
import dev.purgatory.benchmarks.workload.Generator;
import dev.purgatory.benchmarks.workload.Ledger;
import dev.purgatory.benchmarks.workload.Load;
import dev.purgatory.benchmarks.workload.Mix;
import dev.purgatory.benchmarks.workload.Schedule;
import java.time.Duration;
import java.util.List;

/**
 * The seeds' benchmark: requests arrive at target rates, and as fast as they are taken. CPU and
 * collections are those of the whole JVM, from the first arrival to the last end.
 */
final class EnqueueMeasurement implements Measurement {
  private static final String UNLIMITED = "max";
  private static final long SEED = 20150401;

  /** For what timed out in the last moment to be ended. */
  private static final Duration DRAIN = Duration.ofSeconds(2);

  @Override
  public void measure(String contender, Settings settings, Output out) throws Exception {
    Contenders named = Contenders.named(contender);
    warmUp(named, settings);
    for (String each : settings.texts("cases")) {
      String mix = each.substring(0, each.indexOf(':'));
      String rate = each.substring(each.indexOf(':') + 1);
      Output told = out.with("mix", mix).with("rate", rate);
      told.begin();
      Run run = new Run(named, schedule(Mix.named(mix), rate, settings), settings.millis("length"));
      run.measure();
      run.tell(told, rate.equals(UNLIMITED));
    }
  }

  /** As fast as it goes, and at a pace, until the compilers have nothing more to do. */
  private static void warmUp(Contenders named, Settings settings) throws InterruptedException {
    Duration length = settings.millis("warm-up");
    for (String rate : List.of(UNLIMITED, "50000", UNLIMITED)) {
      new Run(named, schedule(Mix.LOW, rate, settings), length).measure();
    }
    Compilers.awaitIdle();
  }

  private static Schedule schedule(Mix mix, String rate, Settings settings) {
    int requests = settings.number("requests");
    if (rate.equals(UNLIMITED)) {
      return Schedule.draw(mix, Double.POSITIVE_INFINITY, requests, SEED);
    }
    double perSecond = Double.parseDouble(rate);
    long inTime = (long) (perSecond * settings.number("length") / 1000);
    return Schedule.draw(mix, perSecond, (int) Math.min(requests, inTime), SEED);
  }

  private static final class Run {
    private final Ledger ledger = new Ledger();
    private final Contenders named;
    private final Schedule schedule;
    private final Duration length;
    private Load load = Load.NONE;
    private Usage used = Usage.now();

    Run(Contenders named, Schedule schedule, Duration length) {
      this.named = named;
      this.schedule = schedule;
      this.length = length;
    }

    /** Runs for half as long again at most, so that what is too slow ends too. */
    void measure() throws InterruptedException {
      System.gc();
      try (Contender contender = named.open(ledger)) {
        Usage before = Usage.now();
        load = new Generator(contender).run(schedule, length.multipliedBy(3).dividedBy(2));
        int toEnd = contender.keepsTime() ? load.requests() : 0;
        Waiting.until(() -> ledger.ended() >= toEnd, DRAIN);
        used = Usage.now().since(before);
      }
    }

    void tell(Output out, boolean unlimited) {
      int requests = load.requests();
      out.higherIsBetter("rate", "requests/s", load.rate());
      out.lowerIsBetter("CPU per request", "us", used.cpuNanos() / 1e3 / requests);
      out.lowerIsBetter("young collections", "ms/s", perSecond(used.youngMillis()));
      out.lowerIsBetter("old collections", "ms/s", perSecond(used.oldMillis()));
      out.lowerIsBetter("timed out", "%", 100.0 * timedOut() / requests);
      out.lowerIsBetter(
          "without an end", "requests", (double) (requests - ledger.ended() - unkept()));
      if (!unlimited) {
        out.lowerIsBetter("behind schedule, p99", "ms", lag(99));
        out.lowerIsBetter("behind schedule, max", "ms", lag(100));
      }
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
      return named == Contenders.FLOOR ? load.requests() - load.toComplete() : 0;
    }
  }
}
