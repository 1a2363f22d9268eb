package dev.purgatory.benchmarks.measure;

import dev.purgatory.benchmarks.jvm.Compilers;
import dev.purgatory.benchmarks.timer.BareTimer;
import dev.purgatory.benchmarks.timer.Timers;

/**
 * What one timer costs to cancel and to add, with so many pending: a random one is cancelled, and
 * another takes its place. None expires. With {@code among} set, it is always one of the last so
 * many: then what is touched does not grow with what is pending.
 */
final class TimerMeasurement implements Measurement {
  @Override
  public void measure(String timer, Settings settings, Output out) throws Exception {
    Timers named = Timers.named(timer);
    for (int pending : settings.numbers("pending")) {
      Output told = out.with("pending", pending);
      told.begin();
      try (BareTimer started = named.start()) {
        int among = Math.min(pending, settings.number("among", pending));
        Replacing replacing = new Replacing(started, pending, among);
        for (int threads : settings.numbers("threads")) {
          if (threads == 1 || named.isForManyThreads()) {
            measure(replacing, threads, settings, told.with("threads", threads));
          }
        }
      }
    }
  }

  private static void measure(Replacing replacing, int threads, Settings settings, Output out)
      throws Exception {
    replacing.nanosEach(threads, settings.millis("warm-up"));
    Compilers.awaitIdle();
    System.gc();
    out.lowerIsBetter(
        "cancel and add", "ns", replacing.nanosEach(threads, settings.millis("length")));
  }
}
