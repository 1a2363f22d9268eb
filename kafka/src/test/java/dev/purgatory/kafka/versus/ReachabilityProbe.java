package dev.purgatory.kafka.versus;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.server.purgatory.DelayedOperationPurgatory;

/**
 * How many answered operations the purgatory still holds on to. Each waits on a busy key and on one
 * of its own where nothing ever happens, and is answered through the busy one.
 */
final class ReachabilityProbe {
  static final int OPERATIONS = 900;

  private static final HeldRequest.Key BUSY = new HeldRequest.Key("busy");

  private ReachabilityProbe() {}

  /** Operations that garbage collection cannot free, though all of them are complete. */
  static long measure() throws Exception {
    DelayedOperationPurgatory<HeldRequest> purgatory =
        new DelayedOperationPurgatory<>("reachability", 0);
    try {
      return Collection.countReachable(answerAll(purgatory));
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
}
