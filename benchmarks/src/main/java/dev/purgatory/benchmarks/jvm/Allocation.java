package dev.purgatory.benchmarks.jvm;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;

/** What the live threads of this JVM have allocated. */
public final class Allocation {
  private static final ThreadMXBean THREADS =
      ManagementFactory.getPlatformMXBean(ThreadMXBean.class);

  private Allocation() {}

  /** Returns the number of bytes so far. */
  public static long total() {
    long[] bytes = THREADS.getThreadAllocatedBytes(THREADS.getAllThreadIds());
    return Arrays.stream(bytes).filter(some -> some > 0).sum();
  }
}
