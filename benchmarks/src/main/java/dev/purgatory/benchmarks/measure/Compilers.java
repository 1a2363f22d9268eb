package dev.purgatory.benchmarks.measure;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;

/** The compilers of this JVM, whose work is not to be counted as that of a contender. */
final class Compilers {
  private static final int PAUSE_MILLIS = 100;
  private static final int MOST_PAUSES = 20;

  private Compilers() {}

  /** Waits until they have nothing to do, but not for ever. */
  static void awaitIdle() throws InterruptedException {
    CompilationMXBean compilers = ManagementFactory.getCompilationMXBean();
    long before = -1;
    for (int i = 0; i < MOST_PAUSES && compilers.getTotalCompilationTime() != before; i++) {
      before = compilers.getTotalCompilationTime();
      Thread.sleep(PAUSE_MILLIS);
    }
  }
}
