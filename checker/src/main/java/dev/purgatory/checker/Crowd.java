package dev.purgatory.checker;

import static dev.purgatory.checker.Invariant.EXACT_COUNT;
import static dev.purgatory.checker.Invariant.RETURN_VALUES;

import dev.purgatory.Limit;
import dev.purgatory.Purgatory;
import dev.purgatory.Scope;
import dev.purgatory.Thresholds;
import dev.purgatory.checker.BulkStep.Burst;
import dev.purgatory.checker.BulkStep.Ending;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/** One purgatory of a {@link BulkRun} and the operations that are pending in it. Thread-safe. */
class Crowd {
  static final long LONG_TIMEOUT_NANOS = Long.MAX_VALUE / 4;

  /** Keys below this number may be shared by operations. */
  static final int SHARED_KEYS = 10;

  final Purgatory<Integer> purgatory;
  final Thresholds<Integer> thresholds;
  private final Limit limit = Limit.builder("crowd").requests(Long.MAX_VALUE).build();
  private volatile Scope scope = Scope.of("crowd", limit);
  private final WatchListsCheck lists;
  private final AtomicLong clock;
  private final Violations violations;
  final Runnable answered;
  private final AtomicInteger nextKey = new AtomicInteger(SHARED_KEYS);
  private final Queue<BulkOperation> left = new ConcurrentLinkedQueue<>();

  /**
   * Creates a crowd.
   *
   * @param clock the virtual time
   * @param violations collects what must not happen
   */
  Crowd(Purgatory<Integer> purgatory, AtomicLong clock, Violations violations) {
    this.purgatory = purgatory;
    this.clock = clock;
    this.violations = violations;
    this.answered = () -> Callback.begin(violations, "an answer");
    this.thresholds = new Thresholds<>(purgatory);
    this.lists = new WatchListsCheck(purgatory);
  }

  /** Holds as many operations as given and ends them as the burst says. */
  final void burst(Burst burst, int count) {
    List<BulkOperation> held = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      BulkOperation operation = operation(burst, keys(burst, i));
      if (hold(operation)) {
        left.add(operation);
        held.add(operation);
      }
      if (burst.oneByOne()) {
        end(held, burst.ending());
        held.clear();
      }
    }
    end(held, burst.ending());
  }

  BulkOperation operation(Burst burst, List<Integer> keys) {
    long timeout = burst.timeoutNanos();
    return switch (burst.kind()) {
      case DELAYED -> new BulkOperation.Delayed(keys, now(), timeout, answered);
      case CONDITIONAL ->
          new BulkOperation.Conditional(keys, now(), timeout, answered, scope, thresholds);
      case TIMED_STAGE -> new BulkOperation.TimedStage(now(), timeout, answered);
      case REPLY -> throw new IllegalArgumentException("replies have a crowd of their own");
    };
  }

  private List<Integer> keys(Burst burst, int number) {
    return IntStream.range(0, burst.keysEach())
        .mapToObj(i -> burst.sharedKeys() > 0 ? (number + i) % burst.sharedKeys() : aNewKey())
        .distinct()
        .toList();
  }

  final long now() {
    return clock.get();
  }

  final int aNewKey() {
    return nextKey.getAndIncrement();
  }

  /** Adds an operation. Returns false if it is refused. */
  boolean hold(BulkOperation operation) {
    operation.hold(purgatory);
    return true;
  }

  /** Holds an operation on a new key and cancels it. */
  void touch() {
    BulkOperation operation =
        new BulkOperation.Delayed(List.of(aNewKey()), now(), LONG_TIMEOUT_NANOS, answered);
    operation.hold(purgatory);
    operation.cancel();
  }

  /** Ends all operations that are pending. */
  void endAll(Ending ending) {
    end(left(), ending);
  }

  /** Cancels all operations that are pending, in one call. */
  final void cancelAll() {
    long pending = pending();
    int cancelled = purgatory.cancelAll().size();
    require(
        cancelled == pending, RETURN_VALUES, "cancelAll() ends " + cancelled + " of " + pending);
    left.forEach(this::requireEnded);
  }

  final List<BulkOperation> left() {
    return List.copyOf(left);
  }

  void end(List<BulkOperation> operations, Ending ending) {
    switch (ending) {
      case SIGNAL -> {
        operations.forEach(BulkOperation::makeReady);
        keysOf(operations).forEach(this::signal);
      }
      case CANCEL_FOR_KEY -> keysOf(operations).forEach(purgatory::cancelForKey);
      case COMPLETE -> operations.forEach(BulkOperation::complete);
      case CANCEL -> {
        if (operations.size() > 1) {
          renewScope();
        }
        operations.forEach(BulkOperation::cancel);
      }
      case NONE -> {}
    }
    if (ending == Ending.COMPLETE || ending == Ending.CANCEL) {
      operations.forEach(this::requireEnded);
    }
  }

  private void signal(int key) {
    thresholds.advance(key, 1);
    thresholds.remove(key);
    purgatory.signal(key);
  }

  /** Closes the scope, which cancels all operations in it. */
  private void renewScope() {
    Scope former = scope;
    scope = Scope.of("crowd", limit);
    former.close();
  }

  /** Returns the objects of the library that refer to operations while they are pending. */
  final List<Object> library() {
    return List.of(purgatory, thresholds, limit, scope);
  }

  final void requireEnded(BulkOperation operation) {
    require(!operation.isPending(), RETURN_VALUES, operation + " has not ended");
  }

  final void require(boolean condition, Invariant invariant, String details) {
    violations.require(condition, invariant, details);
  }

  private static Set<Integer> keysOf(Iterable<BulkOperation> operations) {
    Set<Integer> keys = new HashSet<>();
    operations.forEach(operation -> keys.addAll(operation.keys));
    return keys;
  }

  /** Waits until no purge is running or due. */
  final void awaitPurge() {
    lists.awaitPurge();
  }

  /** Returns how long keys may stay after the last of their operations has ended. */
  final long mostNanosOfUnusedKeys() {
    return lists.mostNanosOfUnusedKeys();
  }

  /** Returns whether every operation that has ended, or is due at this time, is answered. */
  final boolean isSettled(long time) {
    left.removeIf(BulkOperation::isSettled);
    return left.stream().allMatch(each -> each.isPending() && each.deadline > time);
  }

  /**
   * Checks the counts. No other thread may use the purgatory.
   *
   * @throws Finding if an invariant does not hold
   */
  void verify() {
    Finding.unless(
        purgatory.pending() == pending(),
        EXACT_COUNT,
        "pending() is " + purgatory.pending() + ", not " + pending());
    Finding.unless(
        limit.requests() == inScope(), EXACT_COUNT, limit + ", not " + inScope() + " requests");
  }

  /** Returns the number of pending operations that are in a scope and wait for a threshold. */
  private long inScope() {
    return left.stream()
        .filter(each -> each instanceof BulkOperation.Conditional && each.isPending())
        .count();
  }

  /** Returns the number of operations that are pending. */
  final long pending() {
    return left.stream().filter(BulkOperation::isPending).count();
  }

  /** Returns the number of registrations of the operations that are pending. */
  final long registrations() {
    return left.stream()
        .filter(BulkOperation::isPending)
        .mapToLong(BulkOperation::registrations)
        .sum();
  }

  /** Returns the number of keys and scopes of the operations that are pending. */
  final long lists() {
    return liveKeys().size() + Math.min(1, inScope());
  }

  /** Returns the different keys of the operations that are pending. */
  final Set<Integer> liveKeys() {
    return keysOf(left.stream().filter(BulkOperation::isPending).toList());
  }
}
