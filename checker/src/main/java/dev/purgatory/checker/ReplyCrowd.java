package dev.purgatory.checker;

import static dev.purgatory.checker.Invariant.RELEASED;
import static dev.purgatory.checker.Invariant.RETURN_VALUES;

import dev.purgatory.HeldFuture;
import dev.purgatory.Outcome;
import dev.purgatory.Replies;
import dev.purgatory.checker.BulkStep.Burst;
import dev.purgatory.checker.BulkStep.Ending;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * A table of {@link Replies} and the replies that are pending in it. Signalling a key means that a
 * reply arrives; cancelling by key means that a reply fails. Thread-safe.
 */
final class ReplyCrowd extends Crowd {
  private static final Duration LONG_TIMEOUT = Duration.ofNanos(LONG_TIMEOUT_NANOS);

  /** One in so many ids is used twice, as each refusal costs an exception. */
  private static final int TWICE_EVERY = 8;

  private final Replies<Integer, BulkOperation> replies;
  private final Throwable cause = new IllegalStateException("provoked");

  /** The last reply that was awaited with each shared id. */
  private final Map<Integer, BulkOperation> shared = new ConcurrentHashMap<>();

  /** The ids that were used and not yet checked to be free again. */
  private final Set<Integer> used = ConcurrentHashMap.newKeySet();

  /** Creates a crowd, as {@link Crowd} does. */
  ReplyCrowd(Replies<Integer, BulkOperation> replies, AtomicLong clock, Violations violations) {
    super(replies.purgatory(), clock, violations);
    this.replies = replies;
  }

  @Override
  BulkOperation operation(Burst burst, List<Integer> keys) {
    return new BulkOperation.Reply(replies, keys.get(0), now(), burst.timeoutNanos(), answered);
  }

  @Override
  void touch() {
    requireFree(aNewKey());
  }

  @Override
  boolean hold(BulkOperation operation) {
    int id = idOf(operation);
    try {
      operation.hold(purgatory);
    } catch (IllegalStateException e) {
      require(isShared(id), RETURN_VALUES, "the new id " + id + " is refused");
      return false;
    }
    used.add(id);
    boolean twice =
        isShared(id)
            ? areBothPending(shared.put(id, operation), operation)
            : id % TWICE_EVERY == 0 && isFree(id);
    require(!twice, RETURN_VALUES, "two replies are awaited with the id " + id);
    return true;
  }

  private static int idOf(BulkOperation operation) {
    return operation.keys.get(0);
  }

  private static boolean isShared(int id) {
    return id < SHARED_KEYS;
  }

  private static boolean areBothPending(@Nullable BulkOperation before, BulkOperation now) {
    return before != null && before.isPending() && now.isPending();
  }

  /** Returns whether the id can be used. */
  private boolean isFree(int id) {
    try {
      HeldFuture<BulkOperation> reply = replies.expect(id, LONG_TIMEOUT);
      require(reply.cancel(false), RETURN_VALUES, "the id " + id + " is not cancelled");
      return true;
    } catch (IllegalStateException e) {
      return false;
    }
  }

  private void requireFree(int id) {
    require(isFree(id), RELEASED, "the id " + id + " is still in use");
  }

  @Override
  void end(List<BulkOperation> operations, Ending ending) {
    switch (ending) {
      case SIGNAL ->
          operations.forEach(
              each -> endById(each, Outcome.COMPLETED, id -> replies.complete(id, each)));
      case CANCEL_FOR_KEY ->
          operations.forEach(each -> endById(each, Outcome.FAILED, id -> replies.fail(id, cause)));
      default -> super.end(operations, ending);
    }
  }

  /** Another thread may end a reply with a shared id, and use the id again. */
  private void endById(BulkOperation operation, Outcome outcome, IntPredicate end) {
    int id = idOf(operation);
    boolean ends = operation.isPending();
    boolean ended = end.test(id);
    requireEnded(operation);
    if (!isShared(id)) {
      boolean right = ended == ends && (!ends || operation.outcome() == outcome);
      require(right, RETURN_VALUES, operation + " has the outcome " + operation.outcome());
      require(!end.test(id), RETURN_VALUES, operation + " ends twice");
    }
  }

  /** Cancelling all operations means that the connection is lost: all replies fail. */
  @Override
  void endAll(Ending ending) {
    if (ending != Ending.CANCEL) {
      super.endAll(ending);
      return;
    }
    long pending = pending();
    int failed = replies.failAll(cause);
    require(failed == pending, RETURN_VALUES, failed + " replies failed, not " + pending);
    left().forEach(this::requireEnded);
  }

  /** Checks that the ids of replies that have ended are free again. */
  @Override
  void verify() {
    super.verify();
    Set<Integer> awaited = liveKeys();
    used.stream().filter(id -> !awaited.contains(id)).forEach(this::requireFree);
    used.retainAll(awaited);
  }
}
