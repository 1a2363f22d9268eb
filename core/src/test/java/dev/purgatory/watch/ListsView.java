package dev.purgatory.watch;

import dev.purgatory.watch.WaiterChain.Segment;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Shows what the tests of other packages look at in watch lists, and in their purge. */
public final class ListsView {
  private ListsView() {}

  /**
   * The state of a list.
   *
   * @param isRetired whether the list is retired
   * @param size the size of the list as counted by the list
   * @param isLinked whether the list has one waiter or a chain, and the last array of the chain is
   *     the one at its end
   * @param waiters the waiters, in order
   */
  public record State(boolean isRetired, int size, boolean isLinked, List<Waiter> waiters) {}

  /** Returns the state of what waits on a key. A list is read under its lock. */
  public static State state(Waiters waiting) {
    if (waiting instanceof Waiter waiter) {
      return new State(false, 1, true, List.of(waiter));
    }
    WatchList list = (WatchList) waiting;
    synchronized (list) {
      Waiter only = list.only;
      WaiterChain chain = list.chain;
      List<Waiter> waiters = new ArrayList<>();
      if (only != null) {
        waiters.add(only);
      }
      boolean isLinked = chain == null || (only == null && addAll(chain, waiters));
      return new State(list.isRetired(), list.size(), isLinked, waiters);
    }
  }

  /** Returns whether the chain ends with its last array. */
  private static boolean addAll(WaiterChain chain, List<Waiter> to) {
    Segment end = chain.first();
    for (Segment at = end; at != null; at = at.next) {
      Stream.of(at.waiters()).limit(at.size).forEach(to::add);
      end = at;
    }
    return end == chain.last;
  }

  /** Returns what waits; null if it is cleared. */
  public static @Nullable Object referent(Waiter waiter) {
    return waiter.referent();
  }

  /** Returns the map that is in use. */
  public static Object map(Keys<?> keys) {
    return keys instanceof WatchLists<?> lists
        ? lists.map.table()
        : ((ExclusiveKeys<?>) keys).map.table();
  }

  /** Returns the number of cleared waiters, as counted. */
  public static long cleared(WatchLists<?> lists) {
    return lists.clearedButWatched();
  }

  /** Returns whether a purge runs or is due, and begins a due one. A closed purger has none. */
  public static boolean isPurging(Purger purger) {
    return purger.isBusy();
  }

  /** Returns how long the last search for unused keys took, in nanoseconds of real time. */
  public static long lastPurgeNanos(Purger purger) {
    return purger.tookNanos;
  }
}
