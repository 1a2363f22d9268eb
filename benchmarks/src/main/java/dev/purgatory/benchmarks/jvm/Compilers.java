package dev.purgatory.benchmarks.jvm;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;

/** The compilers of this JVM. Their work must not count as that of a contender. */
public final class Compilers {
  private static final CompilationMXBean COMPILERS = ManagementFactory.getCompilationMXBean();
  private static final int PAUSE_MILLIS = 100;
  private static final int MOST_PAUSES = 20;
  private static final int MOST_ROUNDS = 8;

  /** The share of a round's time that compilers may take for the next round to be measured. */
  private static final double QUIET = 0.05;

  private Compilers() {}

  /** Work to be compiled. */
  @FunctionalInterface
  public interface Work {
    /** Does it once. */
    void run() throws InterruptedException;
  }

  /** Waits until they are idle, for at most 2 seconds. */
  public static void awaitIdle() throws InterruptedException {
    long before = -1;
    for (int i = 0; i < MOST_PAUSES && COMPILERS.getTotalCompilationTime() != before; i++) {
      before = COMPILERS.getTotalCompilationTime();
      Thread.sleep(PAUSE_MILLIS);
    }
  }

  /**
   * Repeats work until compilers take little time during a repetition: at least twice, at most 8
   * times.
   */
  public static void quieten(Work work) throws InterruptedException {
    work.run();
    for (int i = 1; i < MOST_ROUNDS; i++) {
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
