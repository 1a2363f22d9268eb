package dev.purgatory.kafka.versus;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.server.purgatory.DelayedOperationPurgatory;

/**
 * Measures how often the threads of idle purgatories wake up. There are as many purgatories as in a
 * broker, each with one operation whose deadline is far away.
 */
final class IdleProbe {
  static final int PURGATORIES = 7;

  private static final int WINDOWS = 3;
  private static final long WINDOW_MS = 1000;

  private IdleProbe() {}

  /**
   * Returns the wake-ups per second of all their threads together, in the quietest of several
   * windows: on a busy machine, the threads may still be starting in the first one. Returns empty
   * if the system does not count wake-ups.
   */
  static OptionalDouble wakeUpsPerSecond() throws Exception {
    if (!ThreadWakeUps.areKnown()) {
      return OptionalDouble.empty();
    }
    Map<String, Long> others = ThreadWakeUps.byThread();
    List<DelayedOperationPurgatory<HeldRequest>> idle = start();
    try {
      double quietest = Double.MAX_VALUE;
      for (int i = 0; i < WINDOWS; i++) {
        quietest = Math.min(quietest, measureWindow(others));
      }
      return OptionalDouble.of(quietest);
    } finally {
      for (DelayedOperationPurgatory<HeldRequest> purgatory : idle) {
        purgatory.shutdown();
      }
    }
  }

  private static List<DelayedOperationPurgatory<HeldRequest>> start() {
    List<DelayedOperationPurgatory<HeldRequest>> purgatories = new ArrayList<>();
    for (int i = 0; i < PURGATORIES; i++) {
      DelayedOperationPurgatory<HeldRequest> purgatory =
          new DelayedOperationPurgatory<>("idle-" + i, 0);
      purgatory.tryCompleteElseWatch(
          new HeldRequest(TimeUnit.HOURS.toMillis(1)), List.of(new HeldRequest.Key("key")));
      purgatories.add(purgatory);
    }
    return purgatories;
  }

  private static double measureWindow(Map<String, Long> others) throws Exception {
    long start = System.nanoTime();
    long before = total(ThreadWakeUps.byThread(), others);
    Thread.sleep(WINDOW_MS);
    long after = total(ThreadWakeUps.byThread(), others);
    return (after - before) * 1e9 / (System.nanoTime() - start);
  }

  private static long total(Map<String, Long> wakeUps, Map<String, Long> others) {
    return wakeUps.entrySet().stream()
        .filter(thread -> !others.containsKey(thread.getKey()))
        .mapToLong(Map.Entry::getValue)
        .sum();
  }
}
