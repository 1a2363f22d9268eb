package dev.purgatory.benchmarks.jvm;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What live threads use that were started after this object was created: the threads of a
 * contender, without the one that measures it.
 */
public final class NewThreads {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private final Set<Long> others =
      Arrays.stream(THREADS.getAllThreadIds()).boxed().collect(Collectors.toUnmodifiableSet());
  private final Set<String> otherTasks;

  /** Regards all threads that are started from now on as new. */
  public NewThreads() throws IOException {
    otherTasks = Set.copyOf(wakeUps().keySet());
  }

  /** Returns what each new thread has used so far. */
  public Reading now() throws IOException {
    Map<Long, Long> nanos = new HashMap<>();
    for (long id : THREADS.getAllThreadIds()) {
      long used = THREADS.getThreadCpuTime(id);
      if (used >= 0) { // or the thread has ended
        nanos.put(id, used);
      }
    }
    nanos.keySet().removeAll(others);
    Map<String, Long> wakeUps = new HashMap<>(wakeUps());
    wakeUps.keySet().removeAll(otherTasks);
    return new Reading(nanos, wakeUps);
  }

  private static Map<String, Long> wakeUps() throws IOException {
    return ThreadWakeUps.areKnown() ? ThreadWakeUps.byThread() : Map.of();
  }

  /**
   * What threads have used at a point in time.
   *
   * @param nanos the processor time of each thread
   * @param wakeUps how often the system woke each thread; those of the JVM itself are included
   */
  public record Reading(Map<Long, Long> nanos, Map<String, Long> wakeUps) {
    /** Copies the maps. */
    public Reading {
      nanos = Map.copyOf(nanos);
      wakeUps = Map.copyOf(wakeUps);
    }

    /** Returns the processor time since an earlier reading, of threads that have not ended. */
    public long cpuNanosSince(Reading before) {
      return difference(nanos, before.nanos);
    }

    /**
     * Returns the number of wake-ups since an earlier reading, of threads that have not ended;
     * empty if this system does not count them.
     */
    public OptionalLong wakeUpsSince(Reading before) {
      return ThreadWakeUps.areKnown()
          ? OptionalLong.of(difference(wakeUps, before.wakeUps))
          : OptionalLong.empty();
    }

    private static <K> long difference(Map<K, Long> now, Map<K, Long> before) {
      return now.entrySet().stream()
          .mapToLong(each -> each.getValue() - before.getOrDefault(each.getKey(), 0L))
          .sum();
    }
  }
}
