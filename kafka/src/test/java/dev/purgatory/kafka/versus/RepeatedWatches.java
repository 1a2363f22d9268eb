package dev.purgatory.kafka.versus;

import static dev.purgatory.kafka.versus.RecordedRequest.A;
import static dev.purgatory.kafka.versus.RecordedRequest.B;
import static dev.purgatory.kafka.versus.UnusualUses.finalSizes;
import static dev.purgatory.kafka.versus.UnusualUses.resultOf;
import static dev.purgatory.kafka.versus.UnusualUses.sizes;
import static dev.purgatory.kafka.versus.UnusualUses.withPurgatory;

import java.util.List;

/** Operations that are watched more than once, or after their end. */
final class RepeatedWatches {
  private RepeatedWatches() {}

  static String twiceOnOneKey() throws Exception {
    return withPurgatory(
        p -> {
          RecordedRequest request = new RecordedRequest();
          p.tryCompleteElseWatch(request, List.of(A));
          p.tryCompleteElseWatch(request, List.of(A));
          String held = sizes(p);
          request.answerable();
          int completed = p.checkAndComplete(A);
          return held + ", " + completed + request + ", " + finalSizes(p);
        });
  }

  /** The operation stays watched on the first key. */
  static String twiceOnTwoKeys() throws Exception {
    return withPurgatory(
        p -> {
          RecordedRequest checked = new RecordedRequest();
          p.tryCompleteElseWatch(checked, List.of(A));
          p.tryCompleteElseWatch(checked, List.of(B));
          RecordedRequest forced = new RecordedRequest();
          p.tryCompleteElseWatch(forced, List.of(A));
          p.tryCompleteElseWatch(forced, List.of(B));
          String held = sizes(p);
          checked.answerable();
          int completed = p.checkAndComplete(A);
          forced.forceComplete();
          p.checkAndComplete(A);
          p.checkAndComplete(B);
          return held + ", " + completed + checked + forced + ", " + finalSizes(p);
        });
  }

  static String twiceAndExpires() throws Exception {
    return withPurgatory(
        p -> {
          RecordedRequest request = new RecordedRequest(20);
          p.tryCompleteElseWatch(request, List.of(A));
          p.tryCompleteElseWatch(request, List.of(B));
          request.awaitExpired();
          p.checkAndComplete(A);
          p.checkAndComplete(B);
          return request + ", " + finalSizes(p);
        });
  }

  static String threeTimesAndCancelled() throws Exception {
    return withPurgatory(
        p -> {
          RecordedRequest request = new RecordedRequest();
          for (int i = 0; i < 3; i++) {
            p.tryCompleteElseWatch(request, List.of(A));
          }
          String held = sizes(p);
          int cancelled = p.cancelForKey(A).size();
          return held + ", " + cancelled + request + ", " + finalSizes(p);
        });
  }

  /** The operation stays watched on the first key, with its timeout. */
  static String twiceButTheSecondThrows() throws Exception {
    return withPurgatory(
        p -> {
          RecordedRequest request = new RecordedRequest();
          p.tryCompleteElseWatch(request, List.of(A));
          request.checkFailure = new IllegalArgumentException();
          String thrown = resultOf(() -> p.tryCompleteElseWatch(request, List.of(B)));
          request.checkFailure = null;
          String held = thrown + ", " + sizes(p);
          request.answerable();
          int completed = p.checkAndComplete(A);
          return held + ", " + completed + request + ", " + finalSizes(p);
        });
  }

  static String inTwoPurgatories() throws Exception {
    return withPurgatory(
        p ->
            withPurgatory(
                q -> {
                  RecordedRequest request = new RecordedRequest();
                  p.tryCompleteElseWatch(request, List.of(A));
                  q.tryCompleteElseWatch(request, List.of(A));
                  String held = sizes(p) + ", " + sizes(q);
                  request.answerable();
                  int completed = p.checkAndComplete(A);
                  q.checkAndComplete(A);
                  return held + ", " + completed + ", " + finalSizes(p) + ", " + finalSizes(q);
                }));
  }

  static String afterCancelForKey() throws Exception {
    return withPurgatory(
        p -> {
          RecordedRequest request = new RecordedRequest();
          p.tryCompleteElseWatch(request, List.of(A));
          int cancelled = p.cancelForKey(A).size();
          String between = cancelled + ", " + finalSizes(p) + ", " + request.isCancelled();
          p.tryCompleteElseWatch(request, List.of(A));
          String held = sizes(p) + ", " + request.isCancelled();
          request.answerable();
          int completed = p.checkAndComplete(A);
          return between + ", " + held + ", " + completed + request + ", " + finalSizes(p);
        });
  }

  static String afterCompletion() throws Exception {
    return withPurgatory(
        p -> {
          RecordedRequest request = new RecordedRequest();
          request.forceComplete();
          request.answerable();
          boolean completed = p.tryCompleteElseWatch(request, List.of(A));
          return completed + ", " + request + ", " + finalSizes(p);
        });
  }

  static String sameKeyInOneList() throws Exception {
    return withPurgatory(
        p -> {
          RecordedRequest request = new RecordedRequest();
          p.tryCompleteElseWatch(request, List.of(A, A));
          String held = sizes(p);
          request.answerable();
          int completed = p.checkAndComplete(A);
          return held + ", " + completed + request + ", " + finalSizes(p);
        });
  }
}
