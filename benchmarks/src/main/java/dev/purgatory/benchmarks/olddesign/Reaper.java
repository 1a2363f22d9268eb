package dev.purgatory.benchmarks.olddesign;

import java.util.Iterator;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The thread that expires requests one after the other. After each of them, or after a while
 * without any, it scans all entries if there are too many.
 */
final class Reaper implements Runnable {
  private static final long POLL_MILLIS = 200;

  private final DelayQueue<OldRequest> delayed = new DelayQueue<>();
  private final OldPurgatory<?> purgatory;
  private final int purgeThreshold;

  Reaper(OldPurgatory<?> purgatory, int purgeThreshold) {
    this.purgatory = purgatory;
    this.purgeThreshold = purgeThreshold;
  }

  void enqueue(OldRequest request) {
    delayed.add(request);
  }

  int delayed() {
    return delayed.size();
  }

  @Override
  public void run() {
    try {
      while (!Thread.currentThread().isInterrupted()) {
        expireOne();
        purgeIfTooLong();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // The purgatory has been closed.
    }
  }

  private void expireOne() throws InterruptedException {
    OldRequest request = pollExpired();
    if (request != null) {
      request.onExpired();
    }
  }

  private @Nullable OldRequest pollExpired() throws InterruptedException {
    while (true) {
      OldRequest request = delayed.poll(POLL_MILLIS, TimeUnit.MILLISECONDS);
      if (request == null || request.claim()) {
        return request;
      }
    }
  }

  private void purgeIfTooLong() {
    if (purgatory.watched() >= purgeThreshold) {
      purgatory.purgeWatchers();
    }
    if (delayed.size() >= purgeThreshold) {
      purgeDelayed();
    }
  }

  private void purgeDelayed() {
    for (Iterator<OldRequest> each = delayed.iterator(); each.hasNext(); ) {
      if (each.next().isSatisfied()) {
        each.remove(); // Searches the queue again, as in Kafka 0.8.
      }
    }
  }
}
