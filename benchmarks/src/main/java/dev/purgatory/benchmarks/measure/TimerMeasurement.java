package dev.purgatory.benchmarks.measure;

import dev.purgatory.benchmarks.jvm.Compilers;
import dev.purgatory.benchmarks.jvm.Usage;
import dev.purgatory.benchmarks.timer.BareTimer;
import dev.purgatory.benchmarks.timer.Timers;

/**
 * Measures cancelling a random timeout of a bare timer and adding another one, while many are
 * pending. None expires. Time is that of each thread; processor time is that of the whole JVM, so
 * what is left to the timer's thread counts.
 */
final class TimerMeasurement implements Measurement {
  @Override
  public void measure(String timer, Settings settings, Output out) throws Exception {
    Timers named = Timers.named(timer);
    for (int pending : settings.numbers("pending")) {
      Output output = out.with("pending", pending);
      output.begin();
      try (BareTimer started = named.start()) {
        Replacing replacing = new Replacing(started, pending);
        for (int threads : settings.numbers("threads")) {
          if (threads == 1 || named.isThreadSafe()) {
            measure(replacing, threads, settings, output.with("threads", threads));
          }
        }
      }
    }
  }

  private static void measure(Replacing replacing, int threads, Settings settings, Output out)
      throws Exception {
    replacing.replace(threads, settings.millis("warm-up"));
    Compilers.awaitIdle();
    System.gc();
    Usage usage = Usage.now();
    long start = System.nanoTime();
    double replaced = replacing.replace(threads, settings.millis("length"));
    double nanos = System.nanoTime() - start;
    out.lowerIsBetter("cancel and add", "ns", threads * nanos / replaced);
    double cpuNanos = Usage.now().since(usage).cpuNanos();
    out.lowerIsBetter("cancel and add, CPU", "ns", cpuNanos / replaced);
  }
}
