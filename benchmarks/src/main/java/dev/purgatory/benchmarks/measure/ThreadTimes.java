package dev.purgatory.benchmarks.measure;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/** The processor time of threads that were started after this was made, and that still run. */
final class ThreadTimes {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private final Set<Long> others =
      Arrays.stream(THREADS.getAllThreadIds()).boxed().collect(Collectors.toUnmodifiableSet());

  /** In nanoseconds, so far. */
  long total() {
    return LongStream.of(THREADS.getAllThreadIds())
        .filter(id -> !others.contains(id))
        .map(id -> Math.max(0, THREADS.getThreadCpuTime(id)))
        .sum();
  }
}
