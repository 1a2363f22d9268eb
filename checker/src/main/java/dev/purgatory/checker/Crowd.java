package dev.purgatory.checker;

import dev.purgatory.Purgatory;
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
final class Crowd {

  /** Keys below this number may be shared by operations. */
  private static final int SHARED_KEYS = 10;

  final String name;
  final Purgatory<Integer> purgatory;
  private final WatchListsCheck lists;
  private final AtomicLong clock;
  private final AtomicInteger nextKey = new AtomicInteger(SHARED_KEYS);
  private final Queue<BulkOperation> left = new ConcurrentLinkedQueue<>();

  /**
   * Creates a crowd.
   *
   * @param name the name of the purgatory
   * @param clock the virtual time
   */
  Crowd(String name, Purgatory<Integer> purgatory, AtomicLong clock) {
    this.name = name;
    this.purgatory = purgatory;
    this.clock = clock;
    this.lists = new WatchListsCheck(purgatory);
  }

  /** Holds so many operations as a burst says, and ends them as it says. */
  void burst(Burst burst, int count) {
    List<BulkOperation> held = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      BulkOperation operation = operation(burst, i);
      operation.hold(purgatory);
      held.add(operation);
      if (burst.oneByOne()) {
        end(held, burst.ending());
        held.clear();
      }
    }
    end(held, burst.ending());
  }

  private BulkOperation operation(Burst burst, int number) {
    long now = clock.get();
    long timeout = burst.timeoutNanos();
    BulkOperation operation =
        switch (burst.kind()) {
          case DELAYED -> new BulkOperation.Delayed(keys(burst, number), now, timeout, null);
          case CONDITIONAL -> new BulkOperation.Conditional(keys(burst, number), now, timeout);
          case LIMITED -> new BulkOperation.Limited(now, timeout);
        };
    left.add(operation);
    return operation;
  }

  private List<Integer> keys(Burst burst, int number) {
    return IntStream.range(0, burst.keysEach())
        .mapToObj(i -> burst.sharedKeys() > 0 ? (number + i) % burst.sharedKeys() : aNewKey())
        .distinct()
        .toList();
  }

  int aNewKey() {
    return nextKey.getAndIncrement();
  }

  /** Holds an operation on a key that is not used again, and cancels it. */
  void touch() {
    BulkOperation operation =
        new BulkOperation.Delayed(List.of(aNewKey()), clock.get(), Long.MAX_VALUE / 4, null);
    operation.hold(purgatory);
    operation.cancel();
  }

  /** Ends all operations that are pending. */
  void endAll(Ending ending) {
    end(List.copyOf(left), ending);
  }

  private void end(List<BulkOperation> operations, Ending ending) {
    switch (ending) {
      case CHECK -> {
        operations.forEach(BulkOperation::makeAnswerable);
        keysOf(operations).forEach(purgatory::signal);
      }
      case CANCEL_FOR_KEY -> keysOf(operations).forEach(purgatory::cancelForKey);
      case FORCE -> operations.forEach(BulkOperation::complete);
      case CANCEL -> operations.forEach(BulkOperation::cancel);
      case NONE -> {}
    }
  }

  private static Set<Integer> keysOf(Iterable<BulkOperation> operations) {
    Set<Integer> keys = new HashSet<>();
    operations.forEach(operation -> keys.addAll(operation.keys));
    return keys;
  }

  /** Waits until no purge is running or due. */
  void awaitPurge() {
    lists.awaitPurge();
  }

  /** Returns how long keys may stay after the last of their operations has ended. */
  long mostNanosOfUnusedKeys() {
    return lists.mostNanosOfUnusedKeys();
  }

  /** Returns whether everything that has to have happened by this time has happened. */
  boolean isSettled(long time) {
    left.removeIf(BulkOperation::isSettled);
    return left.stream().allMatch(each -> each.isPending() && each.deadline > time);
  }

  /** Returns the number of operations that are pending. */
  long pending() {
    return left.stream().filter(BulkOperation::isPending).count();
  }

  /** Returns for how many keys, all operations together, some operation is pending. */
  long registrations() {
    return left.stream()
        .filter(BulkOperation::isPending)
        .mapToLong(BulkOperation::registrations)
        .sum();
  }

  /** Returns the number of different keys of the operations that are pending. */
  int liveKeys() {
    return keysOf(left.stream().filter(BulkOperation::isPending).toList()).size();
  }
}
