package dev.purgatory.benchmarks.measure;

import dev.purgatory.benchmarks.contender.Contender;
import dev.purgatory.benchmarks.contender.Contenders;
import dev.purgatory.benchmarks.contender.Key;
import dev.purgatory.benchmarks.contender.Payload;
import dev.purgatory.benchmarks.jvm.Compilers;
import dev.purgatory.benchmarks.jvm.NewThreads;
import dev.purgatory.benchmarks.jvm.ThreadWakeUps;
import dev.purgatory.benchmarks.workload.Ledger;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Measures the cost of idle purgatories. There are as many as in a broker, each with one operation
 * whose deadline is far away.
 */
final class IdleMeasurement implements Measurement {
  private static final int PURGATORIES = 7;
  private static final long LONG_MILLIS = TimeUnit.HOURS.toMillis(1);

  /** More than a second, after which the clock of this library wakes once more, and then dozes. */
  private static final long SETTLING_MILLIS = 1_500;

  @Override
  public void measure(String contender, Settings settings, Output out) throws Exception {
    if (!ThreadWakeUps.areKnown()) {
      out.note("idle: skipped, since this system does not count wake-ups");
      return;
    }
    NewThreads threads = new NewThreads();
    List<Contender> idle = start(Contenders.named(contender));
    Thread.sleep(SETTLING_MILLIS);
    measure(threads, settings.number("length"), out.with("purgatories", PURGATORIES));
    idle.forEach(Contender::close);
  }

  private static List<Contender> start(Contenders named) {
    List<Contender> idle = new ArrayList<>();
    for (int i = 0; i < PURGATORIES; i++) {
      Contender contender = named.open(new Ledger());
      contender.hold(Payload.of(i, 0), List.of(new Key(i)), LONG_MILLIS);
      idle.add(contender);
    }
    return idle;
  }

  private static void measure(NewThreads threads, int millis, Output out)
      throws IOException, InterruptedException {
    Compilers.awaitIdle();
    long start = System.nanoTime();
    NewThreads.Reading before = threads.now();
    Thread.sleep(millis);
    NewThreads.Reading after = threads.now();
    double seconds = (System.nanoTime() - start) / 1e9;
    after
        .wakeUpsSince(before)
        .ifPresent(wakeUps -> out.lowerIsBetter("wake-ups", "1/s", wakeUps / seconds));
    out.lowerIsBetter("CPU", "ms/s", after.cpuNanosSince(before) / 1e6 / seconds);
  }
}
