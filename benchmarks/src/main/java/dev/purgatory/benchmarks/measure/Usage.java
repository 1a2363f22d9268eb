package dev.purgatory.benchmarks.measure;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * What this JVM has used so far, or in some stretch of time.
 *
 * @param cpuNanos by all threads, those of the JVM's own included
 * @param youngMillis in collections of young objects
 * @param oldMillis in other collections
 */
record Usage(long cpuNanos, long youngMillis, long oldMillis) {
  private static final Predicate<String> YOUNG =
      Pattern.compile("Young|Scavenge|Copy|ParNew|Minor").asPredicate();

  /** Concurrent work, beside the requests; it is in the CPU time. */
  private static final Predicate<String> CONCURRENT =
      Pattern.compile("Cycles|Concurrent").asPredicate();

  static Usage now() {
    return new Usage(cpu(), collections(YOUNG), collections(YOUNG.negate()));
  }

  private static long cpu() {
    return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
  }

  private static long collections(Predicate<String> names) {
    return ManagementFactory.getGarbageCollectorMXBeans().stream()
        .filter(collector -> names.and(CONCURRENT.negate()).test(collector.getName()))
        .mapToLong(GarbageCollectorMXBean::getCollectionTime)
        .sum();
  }

  Usage since(Usage before) {
    return new Usage(
        cpuNanos - before.cpuNanos, youngMillis - before.youngMillis, oldMillis - before.oldMillis);
  }
}
