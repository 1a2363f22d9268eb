package dev.purgatory.benchmarks.measure;

import dev.purgatory.benchmarks.contender.Contender;
import dev.purgatory.benchmarks.contender.Contenders;
import dev.purgatory.benchmarks.contender.Held;
import dev.purgatory.benchmarks.contender.Key;
import dev.purgatory.benchmarks.contender.Payload;
import dev.purgatory.benchmarks.jvm.Compilers;
import dev.purgatory.benchmarks.workload.Ledger;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** Measures the cost of an operation on very many keys, and how much of it remains on the lists. */
final class ManyKeysMeasurement implements Measurement {
  private static final long LONG_MILLIS = TimeUnit.HOURS.toMillis(1);
  private static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long TIDYING_MILLIS = 300;

  @Override
  public void measure(String contender, Settings settings, Output out) throws Exception {
    Contenders named = Contenders.named(contender);
    List<Integer> numbers = settings.numbers("keys");
    int rounds = settings.number("rounds");
    // Each operation completes only once, however many keys it has, so compilers need many rounds.
    new Run(named, numbers.get(0), settings.number("warm-up")).measure();
    for (int keys : numbers) {
      new Run(named, keys, rounds).measure();
      Compilers.awaitIdle();
      Run run = new Run(named, keys, rounds);
      run.measure();
      run.report(out.with("keys", keys));
    }
  }

  private static final class Run {
    private final Contenders named;
    private final int rounds;
    private final List<Key> keys;
    private final Histogram watching = new Histogram(MAX_NANOS, 3);
    private final Histogram completing = new Histogram(MAX_NANOS, 3);
    private long left;

    Run(Contenders named, int keys, int rounds) {
      this.named = named;
      this.rounds = rounds;
      this.keys = KeyLists.of(keys).next();
    }

    void measure() throws InterruptedException {
      try (Contender contender = named.open(new Ledger())) {
        for (int i = 0; i < rounds; i++) {
          holdAndComplete(contender, Payload.of(i, 0));
        }
        Thread.sleep(TIDYING_MILLIS);
        left = contender.watched();
      }
    }

    private void holdAndComplete(Contender contender, byte[] payload) {
      long start = System.nanoTime();
      Held held = contender.hold(payload, keys, LONG_MILLIS);
      long watched = System.nanoTime();
      held.complete();
      long completed = System.nanoTime();
      watching.recordValue(Math.min(watched - start, MAX_NANOS));
      completing.recordValue(Math.min(completed - watched, MAX_NANOS));
    }

    void report(Output out) {
      out.lowerIsBetter("watching, p50", "us", watching.getValueAtPercentile(50) / 1e3);
      out.lowerIsBetter("watching, p99", "us", watching.getValueAtPercentile(99) / 1e3);
      out.lowerIsBetter("completing, p50", "us", completing.getValueAtPercentile(50) / 1e3);
      out.lowerIsBetter("completing, p99", "us", completing.getValueAtPercentile(99) / 1e3);
      out.lowerIsBetter("left on lists per completed operation", "entries", left / (double) rounds);
    }
  }
}
