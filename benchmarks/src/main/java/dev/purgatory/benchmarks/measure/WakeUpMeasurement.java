package dev.purgatory.benchmarks.measure;

import dev.purgatory.benchmarks.contender.Contender;
import dev.purgatory.benchmarks.contender.Contenders;
import dev.purgatory.benchmarks.contender.Endings;
import dev.purgatory.benchmarks.contender.Key;
import dev.purgatory.benchmarks.contender.Payload;
import dev.purgatory.benchmarks.jvm.Compilers;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** Measures the time from one event to the end of each request that waits for it. */
final class WakeUpMeasurement implements Measurement {
  private static final long LONG_MILLIS = TimeUnit.HOURS.toMillis(1);
  private static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(100);
  private static final Key EVENT = new Key(-1);

  @Override
  public void measure(String contender, Settings settings, Output out) throws InterruptedException {
    Contenders named = Contenders.named(contender);
    int waiters = settings.number("waiters");
    Run run = new Run();
    try (Contender open = named.open(run)) {
      for (int i = 0; i < settings.number("warm-up"); i++) {
        run.measure(open, waiters);
      }
      Compilers.awaitIdle();
      run.forget();
      for (int i = 0; i < settings.number("rounds"); i++) {
        run.measure(open, waiters);
      }
    }
    run.report(out.with("waiters", waiters));
  }

  private static final class Run implements Endings {
    private final Histogram nanos = new Histogram(MAX_NANOS, 3);
    private long start;

    void measure(Contender contender, int waiters) {
      for (int i = 0; i < waiters; i++) {
        byte[] payload = Payload.of(i, 0);
        contender.hold(payload, List.of(EVENT, new Key(i)), LONG_MILLIS);
        Payload.makeAnswerable(payload);
      }
      start = System.nanoTime();
      int completed = contender.check(EVENT);
      if (completed != waiters) {
        throw new IllegalStateException(completed + " of " + waiters + " completed");
      }
    }

    @Override
    public void ended(byte[] payload) {
      nanos.recordValue(Math.min(System.nanoTime() - start, MAX_NANOS));
    }

    @Override
    public void timedOut(byte[] payload) {}

    void forget() {
      nanos.reset();
    }

    void report(Output out) {
      out.lowerIsBetter("held to wake-up, p50", "us", nanos.getValueAtPercentile(50) / 1e3);
      out.lowerIsBetter("held to wake-up, p99", "us", nanos.getValueAtPercentile(99) / 1e3);
      out.lowerIsBetter("held to wake-up, max", "us", nanos.getMaxValue() / 1e3);
    }
  }
}
