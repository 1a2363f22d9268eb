package dev.purgatory.kafka.versus;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.server.purgatory.DelayedOperationPurgatory;

/**
 * How many answered operations the purgatory still holds on to. Each waits on a busy key and on one
 * of its own where nothing ever happens, and is answered through the busy one.
 */
final class ReachabilityProbe {
  static final int OPERATIONS = 900;

  private static final HeldRequest.Key BUSY = new HeldRequest.Key("busy");
  private static final int COLLECTIONS = 5;

  private ReachabilityProbe() {}

  /** Operations that garbage collection cannot free, though all of them are complete. */
  static long measure() throws Exception {
    DelayedOperationPurgatory<HeldRequest> purgatory =
        new DelayedOperationPurgatory<>("reachability", 0);
    try {
      return countAfterCollection(answerAll(purgatory));
    } finally {
      // The purgatory is used here and so cannot be collected before.
      purgatory.shutdown();
    }
  }

  private static List<WeakReference<HeldRequest>> answerAll(
      DelayedOperationPurgatory<HeldRequest> purgatory) {
    List<WeakReference<HeldRequest>> requests = new ArrayList<>();
    for (int i = 0; i < OPERATIONS; i++) {
      HeldRequest request = new HeldRequest(TimeUnit.HOURS.toMillis(1));
      purgatory.tryCompleteElseWatch(request, List.of(BUSY, new HeldRequest.Key("quiet-" + i)));
      request.answerable();
      requests.add(new WeakReference<>(request));
    }
    int completed = purgatory.checkAndComplete(BUSY);
    if (completed != OPERATIONS) {
      throw new IllegalStateException(completed + " of " + OPERATIONS + " completed");
    }
    return requests;
  }

  private static long countAfterCollection(List<WeakReference<HeldRequest>> requests) {
    long reachable = requests.size();
    for (int i = 0; i < COLLECTIONS && reachable > 0; i++) {
      System.gc();
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
      reachable = requests.stream().filter(request -> request.get() != null).count();
    }
    return reachable;
  }
}
