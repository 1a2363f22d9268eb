package dev.purgatory.kafka.versus;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.server.purgatory.DelayedOperationPurgatory;

/**
 * Counts the completed operations that a purgatory keeps reachable. Each operation waits on a busy
 * key, through which it is completed, and on a key of its own that gets no events.
 */
final class ReachabilityProbe {
  static final int OPERATIONS = 900;

  private static final HeldRequest.Key BUSY = new HeldRequest.Key("busy");

  private ReachabilityProbe() {}

  /** Returns the number of operations that cannot be collected although all are completed. */
  static long measure() throws Exception {
    DelayedOperationPurgatory<HeldRequest> purgatory =
        new DelayedOperationPurgatory<>("reachability", 0);
    try {
      return GarbageCollection.countReachable(answerAll(purgatory));
    } finally {
      purgatory.shutdown(); // also keeps the purgatory itself reachable until here
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
}
