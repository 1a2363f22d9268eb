package dev.purgatory.kafka.versus;

import static dev.purgatory.kafka.versus.RecordedRequest.A;
import static dev.purgatory.kafka.versus.UnusualUses.finalSizes;
import static dev.purgatory.kafka.versus.UnusualUses.sizes;
import static dev.purgatory.kafka.versus.UnusualUses.withPurgatory;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.server.purgatory.DelayedOperationKey;
import org.apache.kafka.server.purgatory.DelayedOperationPurgatory;

/** Unusual arguments and states of a purgatory. */
final class PurgatoryUses {
  private PurgatoryUses() {}

  static String delayed(long delayMs) throws Exception {
    return withPurgatory(
        p -> {
          RecordedRequest request = new RecordedRequest(delayMs);
          boolean completed = p.tryCompleteElseWatch(request, List.of(A));
          request.awaitExpired();
          p.checkAndComplete(A);
          return completed + ", " + request + ", " + finalSizes(p);
        });
  }

  static String delayedButCompletedAtOnce(long delayMs) throws Exception {
    return withPurgatory(
        p -> {
          RecordedRequest request = new RecordedRequest(delayMs);
          request.answerable();
          boolean completed = p.tryCompleteElseWatch(request, List.of(A));
          return completed + ", " + request + ", " + finalSizes(p);
        });
  }

  static String purgeInterval(int interval) throws Exception {
    DelayedOperationPurgatory<RecordedRequest> purgatory =
        new DelayedOperationPurgatory<>("unusual", 0, interval);
    try {
      RecordedRequest request = new RecordedRequest();
      boolean completed = purgatory.tryCompleteElseWatch(request, List.of(A));
      request.answerable();
      return completed + ", " + purgatory.checkAndComplete(A);
    } finally {
      purgatory.shutdown();
    }
  }

  static String nameWithAsterisk() throws Exception {
    new DelayedOperationPurgatory<RecordedRequest>("a*b", 0).shutdown();
    return "created";
  }

  @SuppressWarnings("NullAway") // what happens with a null
  static String nullInKeys() throws Exception {
    List<DelayedOperationKey> keys = Arrays.asList((DelayedOperationKey) null);
    return withPurgatory(p -> "" + p.tryCompleteElseWatch(new RecordedRequest(), keys));
  }

  @SuppressWarnings("NullAway") // what happens with a null
  static String checkNull() throws Exception {
    return withPurgatory(p -> "" + p.checkAndComplete(null));
  }

  @SuppressWarnings("NullAway") // what happens with a null
  static String cancelNull() throws Exception {
    return withPurgatory(p -> "" + p.cancelForKey(null));
  }

  /** Whether an operation says that it is cancelled: before, while and after it is held. */
  static String cancelledStates() throws Exception {
    return withPurgatory(
        p -> {
          List<Boolean> cancelled = new ArrayList<>();
          RecordedRequest completed = new RecordedRequest();
          cancelled.add(completed.isCancelled());
          p.tryCompleteElseWatch(completed, List.of(A));
          cancelled.add(completed.isCancelled());
          completed.forceComplete();
          cancelled.add(completed.isCancelled());
          RecordedRequest expired = new RecordedRequest(1);
          p.tryCompleteElseWatch(expired, List.of(A));
          expired.awaitExpired();
          cancelled.add(expired.isCancelled());
          return cancelled.toString();
        });
  }

  static String cancelledButWatched() throws Exception {
    return withPurgatory(
        p -> {
          RecordedRequest request = new RecordedRequest();
          p.tryCompleteElseWatch(request, List.of(A));
          request.cancel();
          request.cancel();
          String held = sizes(p) + request.isCancelled();
          request.answerable();
          int completed = p.checkAndComplete(A);
          return held + ", " + completed + request + ", " + finalSizes(p);
        });
  }

  static String interruptedThread() throws Exception {
    return withPurgatory(
        p -> {
          RecordedRequest request = new RecordedRequest();
          Thread.currentThread().interrupt();
          p.tryCompleteElseWatch(request, List.of(A));
          request.answerable();
          int completed = p.checkAndComplete(A);
          return Thread.interrupted() + ", " + completed;
        });
  }

  static String checkAfterShutdown() throws Exception {
    DelayedOperationPurgatory<RecordedRequest> purgatory =
        new DelayedOperationPurgatory<>("unusual", 0);
    RecordedRequest request = new RecordedRequest();
    purgatory.tryCompleteElseWatch(request, List.of(A));
    purgatory.shutdown();
    request.answerable();
    int completed = purgatory.checkAndComplete(A);
    return completed + ", " + request.forceComplete() + request;
  }

  static String watchAfterShutdown() throws Exception {
    DelayedOperationPurgatory<RecordedRequest> purgatory =
        new DelayedOperationPurgatory<>("unusual", 0);
    purgatory.shutdown();
    RecordedRequest ready = new RecordedRequest();
    ready.answerable();
    boolean completed = purgatory.tryCompleteElseWatch(ready, List.of(A));
    RecordedRequest request = new RecordedRequest();
    boolean alsoCompleted = purgatory.tryCompleteElseWatch(request, List.of(A));
    return completed + ", " + alsoCompleted + ", " + request.forceComplete() + request;
  }
}
