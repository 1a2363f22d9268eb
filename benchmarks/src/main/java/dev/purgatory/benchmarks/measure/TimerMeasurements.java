package dev.purgatory.benchmarks.measure;

import dev.purgatory.benchmarks.jvm.Compilers;
import dev.purgatory.benchmarks.jvm.NewThreads;
import dev.purgatory.benchmarks.jvm.Usage;
import dev.purgatory.benchmarks.timer.BareTimer;
import dev.purgatory.benchmarks.timer.Timers;

/** The measurements of bare timers. Except for bursts, many timeouts are pending; none expires. */
final class TimerMeasurements {
  private TimerMeasurements() {}

  /**
   * Measures cancelling a random timeout and adding another one. Time is measured on each thread,
   * processor time in the whole JVM, so what is left to the timer's thread counts.
   */
  static void replace(String timer, Settings settings, Output out) throws Exception {
    Timers named = Timers.named(timer);
    for (int pending : settings.numbers("pending")) {
      Output output = out.with("pending", pending);
      output.begin();
      try (BareTimer started = named.start()) {
        Replacing replacing = new Replacing(started, pending);
        for (int threads : settings.numbers("threads")) {
          if (threads == 1 || named.isThreadSafe()) {
            replace(replacing, threads, settings, output.with("threads", threads));
          }
        }
      }
    }
  }

  private static void replace(Replacing replacing, int threads, Settings settings, Output out)
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

  /** Measures cancelling a random timeout and adding another one, now and then. */
  static void pace(String timer, Settings settings, Output out) throws Exception {
    NewThreads threads = new NewThreads();
    int pending = settings.number("pending");
    Output output = out.with("pending", pending);
    try (BareTimer started = Timers.named(timer).start()) {
      Replacing replacing = new Replacing(started, pending);
      Cost.warmUp(replacing::replaceSome, settings);
      PacedCost.report(replacing::replaceOne, "paced cancel and add", threads, settings, output);
    }
  }

  /**
   * Measures timeouts that one thread adds and another cancels, as when a response arrives on
   * another thread than the one that sent the request.
   */
  static void cancelFar(String timer, Settings settings, Output out) throws Exception {
    int pending = settings.number("pending");
    try (BareTimer started = Timers.named(timer).start()) {
      Replacing unused = new Replacing(started, pending);
      try (HandOver handOver = new HandOver(started)) {
        Cost.warmUp(handOver, settings);
        Cost.of(handOver, settings.millis("length"))
            .report(out.with("pending", pending), "add here, cancel there");
      }
    }
  }

  /** Measures very many timeouts that are due at the same moment. */
  static void burst(String timer, Settings settings, Output out) throws Exception {
    NewThreads threads = new NewThreads();
    try (BareTimer started = Timers.named(timer).start()) {
      Burst.report(started::schedule, started::schedule, threads, settings, out);
    }
  }
}
