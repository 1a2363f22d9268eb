package dev.purgatory.benchmarks.jvm;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * The resources that this JVM has used so far, or in a period.
 *
 * @param cpuNanos the processor time of all threads, including the JVM's own
 * @param youngMillis the time in young collections
 * @param oldMillis the time in other collections
 */
public record Usage(long cpuNanos, long youngMillis, long oldMillis) {
  private static final Predicate<String> YOUNG =
      Pattern.compile("Young|Scavenge|Copy|ParNew|Minor").asPredicate();

  /** Concurrent work, which does not pause requests; it is included in the processor time. */
  private static final Predicate<String> CONCURRENT =
      Pattern.compile("Cycles|Concurrent").asPredicate();

  /** Returns the usage so far. */
  public static Usage now() {
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

  /** Returns the usage between an earlier reading and this one. */
  public Usage since(Usage before) {
    return new Usage(
        cpuNanos - before.cpuNanos, youngMillis - before.youngMillis, oldMillis - before.oldMillis);
  }
}
