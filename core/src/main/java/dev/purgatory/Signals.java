package dev.purgatory;

import java.lang.invoke.VarHandle;
import java.util.function.Predicate;

/** Finds the operations that wait on a key, and evaluates or ends them. Thread-safe. */
final class Signals<K> {
  private final WatchLists<K> watchLists;
  private final Purger purger;
  private final Lanes lanes;

  Signals(WatchLists<K> watchLists, Purger purger, Lanes lanes) {
    this.watchLists = watchLists;
    this.purger = purger;
    this.lanes = lanes;
  }

  /**
   * Evaluates the operations on a key, in the order in which they came.
   *
   * @param evaluation returns true if it has completed the operation
   * @param most how many to complete
   * @return how many were completed; 0 if a helper thread does the work
   */
  int signal(K key, Predicate<Registration> evaluation, int most) {
    VarHandle.fullFence(); // write the event first, then read the lists
    WatchList list = watchLists.get(key);
    if (list == null) {
      return 0;
    }
    int depth = Nesting.enter();
    try {
      return Nesting.isTooDeep(depth) && signalOnHelper(key, evaluation, most)
          ? 0
          : evaluateAll(key, list, evaluation, most);
    } finally {
      Nesting.leave(depth);
    }
  }

  private boolean signalOnHelper(K key, Predicate<Registration> evaluation, int most) {
    try {
      lanes.helpers.execute(() -> signal(key, evaluation, most));
      return true;
    } catch (Throwable e) {
      return false; // no thread can be started: this thread does the work
    }
  }

  private int evaluateAll(K key, WatchList list, Predicate<Registration> evaluation, int most) {
    WatchList.Walk walk = list.walk(evaluation, most);
    if (walk.isOneEnded() && watchLists.tryEmpty(list)) {
      purger.cleared(/* look= */ false); // removes the list later, unless it is used again
      return walk.hits();
    }
    return tidied(key, list, walk) + visitSets(walk, evaluation, most);
  }

  private int tidied(K key, WatchList list, WatchList.Walk walk) {
    if (walk.isStopped() || walk.leavesMuchToRemove()) {
      watchLists.tryTidy(key, list, walk);
    }
    return walk.hits();
  }

  private int visitSets(WatchList.Walk walk, Predicate<Registration> visitor, int most) {
    int hits = 0;
    for (Registration each : walk.forwarding()) {
      int left = most - walk.hits() - hits;
      if (left > 0 && each.operation() instanceof HiddenKey set) { // else it was closed
        hits += visit(set.asKey(), visitor, left);
      }
    }
    return hits;
  }

  /** Calls the visitor with each registration on a key; returns how often it returned true. */
  int visit(K key, Predicate<Registration> visitor) {
    VarHandle.fullFence(); // write the end of a scope first, then read the lists
    return visit(key, visitor, Integer.MAX_VALUE);
  }

  private int visit(K key, Predicate<Registration> visitor, int most) {
    WatchList list = watchLists.get(key);
    if (list == null) {
      return 0;
    }
    WatchList.Walk walk = list.walk(visitor, most);
    return tidied(key, list, walk) + visitSets(walk, visitor, most);
  }

  /** Calls the visitor with each registration; returns how often it returned true. */
  int visitAll(Predicate<Registration> visitor) {
    int[] hits = new int[1];
    watchLists.forEach(list -> hits[0] += list.walk(visitor).hits());
    return hits[0];
  }
}
