package dev.purgatory.benchmarks.jvm;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;

/** The JIT compilers of this JVM, whose work must not be attributed to a contender. */
public final class Compilers {
  private static final CompilationMXBean COMPILERS = ManagementFactory.getCompilationMXBean();
  private static final int PAUSE_MILLIS = 100;
  private static final int MAX_PAUSES = 20;
  private static final int MAX_ROUNDS = 8;

  /** The share of a round's time below which compilers count as quiet. */
  private static final double QUIET = 0.05;

  private Compilers() {}

  /** Work that is repeated until it is compiled. */
  @FunctionalInterface
  public interface Work {
    /** Performs the work once. */
    void run() throws InterruptedException;
  }

  /** Waits until the compilers are idle, for at most 2 seconds. */
  public static void awaitIdle() throws InterruptedException {
    long before = -1;
    for (int i = 0; i < MAX_PAUSES && COMPILERS.getTotalCompilationTime() != before; i++) {
      before = COMPILERS.getTotalCompilationTime();
      Thread.sleep(PAUSE_MILLIS);
    }
  }

  /**
   * Repeats work until the compilers use little time during a repetition, at least 2 and at most 8
   * times.
   */
  public static void repeatUntilQuiet(Work work) throws InterruptedException {
    work.run();
    for (int i = 1; i < MAX_ROUNDS; i++) {
      long begin = System.nanoTime();
      long before = COMPILERS.getTotalCompilationTime();
      work.run();
      long compiled = TimeUnit.MILLISECONDS.toNanos(COMPILERS.getTotalCompilationTime() - before);
      if (compiled < QUIET * (System.nanoTime() - begin)) {
        break;
      }
    }
    awaitIdle();
  }
}
