package dev.purgatory.benchmarks.measure;

import dev.purgatory.benchmarks.jvm.NewThreads;
import dev.purgatory.benchmarks.timer.BareTimer;
import dev.purgatory.benchmarks.timer.Timers;

/** Measures very many timeouts of a bare timer that are due at the same moment. */
final class BurstMeasurement implements Measurement {
  @Override
  public void measure(String timer, Settings settings, Output out) throws Exception {
    NewThreads threads = new NewThreads();
    try (BareTimer started = Timers.named(timer).start()) {
      Burst.report(started::schedule, started::schedule, threads, settings, out);
    }
  }
}
