package dev.purgatory.kafka.versus;

import static dev.purgatory.kafka.versus.RecordedRequest.A;
import static dev.purgatory.kafka.versus.UnusualUses.finalSizes;
import static dev.purgatory.kafka.versus.UnusualUses.resultOf;
import static dev.purgatory.kafka.versus.UnusualUses.withPurgatory;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.server.purgatory.DelayedOperation;

/** Callbacks that throw, or complete their own operation. */
final class FailingCallbacks {
  private FailingCallbacks() {}

  static String completionWhenWatched() throws Exception {
    return withPurgatory(
        p -> {
          RecordedRequest request = failingCompletion(RecordedRequest.LONG_MS);
          request.answerable();
          String thrown = resultOf(() -> p.tryCompleteElseWatch(request, List.of(A)));
          return thrown + request + ", " + finalSizes(p);
        });
  }

  static String completionWhenChecked() throws Exception {
    return withPurgatory(
        p -> {
          RecordedRequest request = failingCompletion(RecordedRequest.LONG_MS);
          p.tryCompleteElseWatch(request, List.of(A));
          request.answerable();
          String thrown = resultOf(() -> p.checkAndComplete(A));
          p.checkAndComplete(A);
          return thrown + request + ", " + finalSizes(p);
        });
  }

  static String completionWhenForced() throws Exception {
    return withPurgatory(
        p -> {
          RecordedRequest request = failingCompletion(RecordedRequest.LONG_MS);
          p.tryCompleteElseWatch(request, List.of(A));
          String thrown = resultOf(request::forceComplete);
          p.checkAndComplete(A);
          return thrown + request + ", " + finalSizes(p);
        });
  }

  static String completionOnExpiration() throws Exception {
    return expirationOf(failingCompletion(1));
  }

  static String expiration() throws Exception {
    RecordedRequest request = new RecordedRequest(1);
    request.expirationFailure = new IllegalArgumentException();
    return expirationOf(request);
  }

  private static RecordedRequest failingCompletion(long delayMs) {
    RecordedRequest request = new RecordedRequest(delayMs);
    request.completionFailure = new IllegalArgumentException();
    return request;
  }

  /** The operation behind it expires, too. */
  private static String expirationOf(RecordedRequest failing) throws Exception {
    return withPurgatory(
        p -> {
          p.tryCompleteElseWatch(failing, List.of(A));
          RecordedRequest next = new RecordedRequest(failing.delayMs + 1);
          p.tryCompleteElseWatch(next, List.of(A));
          next.awaitExpired();
          p.checkAndComplete(A);
          return failing + ", " + next + ", " + finalSizes(p);
        });
  }

  static String completedAgainFromCallbacks() throws Exception {
    return withPurgatory(
        p -> {
          CompletingAgain operation = new CompletingAgain();
          p.tryCompleteElseWatch(operation, List.of(A));
          return operation.expired.await(RecordedRequest.PATIENCE_S, TimeUnit.SECONDS)
              + ", "
              + operation.results;
        });
  }

  private static final class CompletingAgain extends DelayedOperation {
    final List<Boolean> results = Collections.synchronizedList(new ArrayList<>());
    final CountDownLatch expired = new CountDownLatch(1);

    CompletingAgain() {
      super(1);
    }

    @Override
    public boolean tryComplete() {
      return false;
    }

    @Override
    public void onComplete() {
      results.add(forceComplete());
    }

    @Override
    public void onExpiration() {
      results.add(forceComplete());
      expired.countDown();
    }
  }
}
