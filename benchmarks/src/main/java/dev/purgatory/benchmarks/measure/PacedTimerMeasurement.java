package dev.purgatory.benchmarks.measure;

import dev.purgatory.benchmarks.jvm.NewThreads;
import dev.purgatory.benchmarks.timer.BareTimer;
import dev.purgatory.benchmarks.timer.Timers;

/**
 * Measures cancelling a random timeout of a bare timer and adding another one, now and then. None
 * expires.
 */
final class PacedTimerMeasurement implements Measurement {
  @Override
  public void measure(String timer, Settings settings, Output out) throws Exception {
    NewThreads threads = new NewThreads();
    int pending = settings.number("pending");
    try (BareTimer started = Timers.named(timer).start()) {
      Replacing replacing = new Replacing(started, pending);
      Cost.warmUp(replacing::replaceSome, settings);
      PacedCost.report(
          replacing::replaceOne,
          "paced cancel and add",
          threads,
          settings,
          out.with("pending", pending));
    }
  }
}
