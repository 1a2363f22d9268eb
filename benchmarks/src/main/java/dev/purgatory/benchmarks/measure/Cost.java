package dev.purgatory.benchmarks.measure;

import dev.purgatory.benchmarks.jvm.Allocation;
import dev.purgatory.benchmarks.jvm.Compilers;
import dev.purgatory.benchmarks.jvm.Usage;
import java.time.Duration;

/**
 * What an operation costs in a loop of one thread.
 *
 * @param nanos the time in that thread
 * @param cpuNanos the processor time of the whole JVM, including timers and the collector
 * @param bytes what all threads allocate
 */
record Cost(double nanos, double cpuNanos, double bytes) {

  /** Operations that are repeated. */
  @FunctionalInterface
  interface Work {
    /** Performs some operations; returns their number. */
    int perform();
  }

  /** Repeats work until it is compiled, in rounds of the setting {@code warm-up}. */
  static void warmUp(Work work, Settings settings) throws InterruptedException {
    Compilers.repeatUntilQuiet(() -> of(work, settings.millis("warm-up")));
    System.gc();
  }

  /** Repeats work for a time. */
  static Cost of(Work work, Duration length) {
    Usage usage = Usage.now();
    long bytes = Allocation.total();
    long start = System.nanoTime();
    long operations = 0;
    do {
      operations += work.perform();
    } while (System.nanoTime() - start < length.toNanos());
    double nanos = System.nanoTime() - start;
    double allocated = Allocation.total() - bytes;
    double cpu = Usage.now().since(usage).cpuNanos();
    return new Cost(nanos / operations, cpu / operations, allocated / operations);
  }

  /** Reports the costs of an operation of this name. */
  void report(Output out, String operation) {
    out.lowerIsBetter(operation + ", time", "ns", nanos);
    out.lowerIsBetter(operation + ", CPU", "ns", cpuNanos);
    out.lowerIsBetter(operation + ", allocation", "bytes", bytes);
  }
}
