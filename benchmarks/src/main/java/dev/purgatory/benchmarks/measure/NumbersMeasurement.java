package dev.purgatory.benchmarks.measure;

import dev.purgatory.benchmarks.feature.Lineup;
import dev.purgatory.benchmarks.feature.NumberWaiters;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Measures an advance of a number that satisfies few of many waiters. As many others follow them,
 * so their number stays the same.
 */
final class NumbersMeasurement implements Measurement {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  @Override
  public void measure(String contender, Settings settings, Output out) throws InterruptedException {
    int waiting = settings.number("waiters");
    Output output = out.with("waiters", waiting);
    try (NumberWaiters waiters = Lineup.NUMBERS.start(contender)) {
      Turns turns = new Turns(waiters, waiting, settings.number("satisfied"));
      Cost.warmUp(turns, settings);
      turns.forget();
      Cost cost = Cost.of(turns, settings.millis("length"));
      output.lowerIsBetter("advance, time", "ns", turns.nanosPerAdvance());
      cost.report(output, "advance and new waiters");
    }
  }

  private static final class Turns implements Cost.Work {
    private final NumberWaiters waiters;
    private final int waiting;
    private final int satisfied;
    private long number;
    private long nanos;
    private long advances;

    Turns(NumberWaiters waiters, int waiting, int satisfied) {
      this.waiters = waiters;
      this.waiting = waiting;
      this.satisfied = satisfied;
      await(1, waiting);
    }

    private void await(long first, long last) {
      for (long threshold = first; threshold <= last; threshold++) {
        CompletableFuture<Long> unused = waiters.await(threshold, TIMEOUT);
      }
    }

    @Override
    public int perform() {
      number += satisfied;
      long start = System.nanoTime();
      int completed = waiters.advance(number);
      nanos += System.nanoTime() - start;
      advances++;
      if (completed != satisfied) {
        throw new IllegalStateException(completed + " of " + satisfied + " completed");
      }
      await(number + waiting - satisfied + 1, number + waiting);
      return 1;
    }

    void forget() {
      nanos = 0;
      advances = 0;
    }

    double nanosPerAdvance() {
      return nanos / (double) advances;
    }
  }
}
