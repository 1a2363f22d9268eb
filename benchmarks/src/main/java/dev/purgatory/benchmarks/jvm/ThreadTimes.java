package dev.purgatory.benchmarks.jvm;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/** The processor time of live threads that were started after this object was created. */
public final class ThreadTimes {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private final Set<Long> others =
      Arrays.stream(THREADS.getAllThreadIds()).boxed().collect(Collectors.toUnmodifiableSet());

  /** Returns the total processor time of these threads so far, in nanoseconds. */
  public long total() {
    return LongStream.of(THREADS.getAllThreadIds())
        .filter(id -> !others.contains(id))
        .map(id -> Math.max(0, THREADS.getThreadCpuTime(id)))
        .sum();
  }
}
