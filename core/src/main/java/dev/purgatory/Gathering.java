package dev.purgatory;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/** Collects the replies to a request that was sent to several receivers. Thread-safe. */
final class Gathering<I, R> {

  /*
   * Each id is awaited as any other: so it can be failed, found and listed, its late reply is told, and
   * `pending` counts it. All have the same time limit.
   *
   * Each end of a wait is stored in its own place, and then counted. As each wait ends, either so many replies
   * are counted as are needed, or one failure more than is allowed: never both. So one thread finishes. It
   * reads all places; what is stored while it does is in the result or not. Then it cancels the waits that
   * have not ended, whose ends are counted as failures and change nothing, and completes the result: so
   * dependents can use the ids again.
   *
   * Rejected: one wait on several keys, which would be a second kind of wait for whatever ends one.
   */

  /** How a wait has ended. The error is null if it got a reply. */
  private record End<R>(R reply, @Nullable Throwable error) {}

  private final List<I> ids;
  private final int enough;
  private final CompletableFuture<Gathered<I, R>> result = new CompletableFuture<>();

  /** Does not change once the first end is awaited. */
  private final List<HeldFuture<R>> waits;

  private final AtomicReferenceArray<@Nullable End<R>> ends;
  private final AtomicInteger replied = new AtomicInteger();
  private final AtomicInteger failed = new AtomicInteger();

  Gathering(List<I> ids, int enough) {
    this.ids = ids;
    this.enough = enough;
    this.waits = new ArrayList<>(ids.size());
    this.ends = new AtomicReferenceArray<>(ids.size());
  }

  /** Awaits one reply. */
  interface Expect<I, R> {
    HeldFuture<R> expect(I id);
  }

  CompletableFuture<Gathered<I, R>> begin(Expect<I, R> replies) {
    try {
      for (I id : ids) {
        waits.add(replies.expect(id));
      }
    } catch (Throwable e) {
      cancel();
      throw e;
    }
    for (int i = 0; i < waits.size(); i++) {
      int place = i;
      var unused = waits.get(i).whenComplete((reply, error) -> end(place, reply, error));
    }
    var unused = result.whenComplete((gathered, error) -> cancel());
    return result;
  }

  private void cancel() {
    for (HeldFuture<?> each : waits) {
      each.cancel(false);
    }
  }

  private void end(int place, R reply, @Nullable Throwable error) {
    ends.set(place, new End<>(reply, error));
    if (error == null) {
      if (replied.incrementAndGet() == enough) {
        finish(true);
      }
    } else if (failed.incrementAndGet() == ids.size() - enough + 1) {
      finish(false);
    }
  }

  private void finish(boolean isEnough) {
    try {
      Gathered<I, R> gathered = gathered(isEnough);
      cancel();
      result.complete(gathered);
    } catch (Throwable e) { // an id threw
      result.completeExceptionally(e);
    }
  }

  private Gathered<I, R> gathered(boolean isEnough) {
    Map<I, R> replies = new LinkedHashMap<>();
    Map<I, Throwable> failures = new LinkedHashMap<>();
    for (int i = 0; i < ids.size(); i++) {
      End<R> end = ends.get(i);
      if (end != null && end.error == null) {
        replies.put(ids.get(i), end.reply);
      } else if (end != null) {
        failures.put(ids.get(i), end.error);
      }
    }
    return new Gathered<>(
        isEnough, Collections.unmodifiableMap(replies), Collections.unmodifiableMap(failures));
  }
}
