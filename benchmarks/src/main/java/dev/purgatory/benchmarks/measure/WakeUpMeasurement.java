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

/** How long the requests of one key take to end, from the event that ends them all. */
final class WakeUpMeasurement implements Measurement {
  private static final long FOR_EVER = TimeUnit.HOURS.toMillis(1);
  private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(100);
  private static final Key EVENT = new Key(-1);

  @Override
  public void measure(String contender, Settings settings, Output out) throws InterruptedException {
    Contenders named = Contenders.named(contender);
    int waiters = settings.number("waiters");
    Run run = new Run();
    try (Contender open = named.open(run)) {
      for (int i = 0; i < settings.number("rounds"); i++) {
        run.measure(open, waiters);
      }
      Compilers.awaitIdle();
      run.forget();
      for (int i = 0; i < settings.number("rounds"); i++) {
        run.measure(open, waiters);
      }
    }
    run.tell(out.with("waiters", waiters));
  }

  private static final class Run implements Endings {
    private final Histogram nanos = new Histogram(LONGEST_NANOS, 3);
    private long start;

    void measure(Contender contender, int waiters) {
      for (int i = 0; i < waiters; i++) {
        byte[] payload = Payload.of(i, 0);
        contender.hold(payload, List.of(EVENT, new Key(i)), FOR_EVER);
        Payload.makeAnswerable(payload);
      }
      start = System.nanoTime();
      int completed = contender.check(EVENT);
      if (completed != waiters) {
        throw new IllegalStateException(completed + " of " + waiters + " completed");
      }
    }

    /** On the thread of the event. */
    @Override
    public void ended(byte[] payload) {
      nanos.recordValue(Math.min(System.nanoTime() - start, LONGEST_NANOS));
    }

    @Override
    public void timedOut(byte[] payload) {}

    void forget() {
      nanos.reset();
    }

    void tell(Output out) {
      out.lowerIsBetter("held to wake-up, p50", "us", nanos.getValueAtPercentile(50) / 1e3);
      out.lowerIsBetter("held to wake-up, p99", "us", nanos.getValueAtPercentile(99) / 1e3);
      out.lowerIsBetter("held to wake-up, max", "us", nanos.getMaxValue() / 1e3);
    }
  }
}
