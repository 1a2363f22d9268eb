package dev.purgatory.watch;

import static java.util.Objects.requireNonNull;

import dev.purgatory.watch.WaiterChain.Segment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The waiters on one key, in the order in which they came. Thread-safe. */
public final class WatchList implements OnKey {

  /*
   * One waiter, or a chain of them: many keys have a single waiter most of the time.
   *
   * Walks evaluate conditions, so they go through the chain without the lock. A walk ends when it has seen
   * as many waiters as the list had when the walk began. So it sees every operation that was on the
   * list then, and it ends even if callbacks keep adding to the list.
   *
   * A single waiter is read without the lock, too: while `only` is not null, it is the whole list.
   *
   * Removing cleared waiters takes the lock once for every few hundred, so that nobody waits for a
   * list of a million.
   *
   * A list that a sweep has emptied is retired for good: the next appender creates a new one. A signal that
   * ends the only waiter leaves the list empty and in use.
   *
   * The lock is the monitor of the list: it needs no memory and a third of the time of a ReentrantLock.
   * On JDK 21 to 23 a virtual thread that waits for a monitor pins its carrier; here it waits for a few
   * steps of a running thread.
   */

  /** Returned by {@link #append} if the list is retired. */
  static final int RETIRED = -1;

  private static final VarHandle ONLY;

  static {
    try {
      ONLY = MethodHandles.lookup().findVarHandle(WatchList.class, "only", Waiter.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  // Guarded by the monitor, except for racy reads of `only` and `retired`. At most one of the first
  // two is not null.
  private @Nullable Waiter only;
  private @Nullable WaiterChain chain;
  private volatile boolean retired;

  WatchList() {} // newer JDKs warn of a public class whose constructor has no comment

  /**
   * Adds a waiter to the end.
   *
   * @return the number of cleared waiters that were removed to make room, or {@link #RETIRED}, and
   *     the waiter was not added
   */
  int append(Waiter waiter) {
    synchronized (this) {
      if (retired) {
        return RETIRED;
      }
      if (chain != null) {
        return chain.append(waiter);
      }
      if (only != null && only.inUse() != 0) {
        return beginChain(only, waiter);
      }
      return replaceOnly(waiter);
    }
  }

  private int replaceOnly(Waiter waiter) {
    int removed = only == null ? 0 : 1;
    ONLY.setRelease(this, waiter); // published to walks, which read it without the monitor
    return removed;
  }

  private int beginChain(Waiter first, Waiter second) {
    WaiterChain made = new WaiterChain();
    int removed = made.append(first) + made.append(second);
    chain = made;
    only = null;
    return removed;
  }

  /**
   * Removes cleared waiters, and retires the list if it is then empty.
   *
   * @return the number of waiters that were removed
   */
  int removeCleared() {
    return sweep(size()); // one round, from where the last step stopped
  }

  /**
   * Removes cleared waiters after a walk, like {@link #removeCleared}. Costs a few times as many
   * steps as the walk at most, besides one for each waiter that is removed.
   *
   * @return the number of waiters that were removed
   */
  int removeClearedAfter(Walk walk) {
    if (walk.leavesMuchToRemove()) {
      return removeCleared();
    }
    int removed = removeClearedFront();
    return walk.leavesMuchBehind() ? removed + sweepFromFront(walk.visited()) : removed;
  }

  private int sweepFromFront(int steps) {
    synchronized (this) {
      if (chain != null) {
        chain.sweepFromFront();
      }
    }
    return sweep(steps);
  }

  private int sweep(int steps) {
    int removed = 0;
    int left = steps;
    do {
      synchronized (this) {
        int before = size();
        if (chain == null) {
          removeOnlyIfCleared();
          left = 0;
        } else {
          left -= chain.sweepNext();
        }
        removed += before - size();
        retired = size() == 0;
      }
    } while (left > 0 && !retired);
    return removed;
  }

  /**
   * Removes a single waiter that is cleared, without retiring the list.
   *
   * @return the number of waiters that were removed
   */
  int removeOnly() {
    synchronized (this) {
      return chain == null && removeOnlyIfCleared() ? 1 : 0;
    }
  }

  private boolean removeOnlyIfCleared() {
    boolean cleared = only != null && only.inUse() == 0;
    if (cleared) {
      only = null;
    }
    return cleared;
  }

  /**
   * Removes cleared waiters from the front, and retires the list if it is then empty. Costs one
   * step if the oldest waiter is still in use.
   *
   * @return the number of waiters that were removed
   */
  int removeClearedFront() {
    int removed = 0;
    for (boolean more = true; more; ) {
      synchronized (this) {
        int before = size();
        more = chain == null ? removeOnlyIfCleared() : chain.removeFirstIfCleared();
        removed += before - size();
        retired = size() == 0;
      }
    }
    return removed;
  }

  /** Returns the number of waiters, including cleared ones. */
  int size() {
    synchronized (this) {
      return chain == null ? only == null ? 0 : 1 : chain.size();
    }
  }

  /** Returns the first segment of the chain, for tests. */
  @Nullable Segment firstSegment() {
    synchronized (this) {
      return chain == null ? null : chain.first();
    }
  }

  // For tests, while no other thread uses the list.

  @Nullable Waiter only() {
    return only;
  }

  @Nullable WaiterChain chain() {
    return chain;
  }

  @Override
  public boolean isRetired() {
    return retired;
  }

  /**
   * The result of a walk.
   *
   * @param size the number of waiters
   * @param visited how many of them the walk looked at: not those in front of the first one that
   *     may be in use, nor those behind the end of a walk that stopped
   * @param cleared the number of waiters that were cleared before, as far as the walk came
   * @param hits how many times the visitor returned true
   * @param behind how many cleared ones and hits came after the first one that stays in use
   * @param isStopped whether the visitor has returned true as often as was asked for
   * @param forwarders those whose hidden keys are to be visited next
   */
  public record Walk(
      int size,
      int visited,
      int cleared,
      int hits,
      int behind,
      boolean isStopped,
      List<Forwarder> forwarders) {

    /**
     * Returns whether removing cleared waiters is worth a copy of the rest.
     *
     * @return true if at least a quarter is cleared
     */
    public boolean leavesMuchToRemove() {
      int ended = cleared + hits;
      return ended > 0 && ended * 4L >= size;
    }

    /** Returns whether it is worth a copy of what was visited. */
    boolean leavesMuchBehind() {
      return behind * 4L >= Math.max(visited, Segment.MAX_LENGTH);
    }

    /**
     * Returns whether the list had one waiter, which is cleared now.
     *
     * @return false also if it had several, all of which are cleared
     */
    public boolean isOneEnded() {
      return size == 1 && cleared + hits == 1;
    }
  }

  /**
   * Calls the visitor, without a lock, with each waiter that waits when the walk begins and is not
   * cleared, in their order. Forwarders are not visited, but collected.
   *
   * @param waiters the waiters on a key
   * @param visitor what it returns is counted
   * @return what was found
   */
  public static Walk walk(OnKey waiters, Predicate<Waiter> visitor) {
    return walk(waiters, visitor, Integer.MAX_VALUE);
  }

  /**
   * Walks like {@link #walk(OnKey, Predicate)}, until the visitor has returned true so many times.
   *
   * @param waiters the waiters on a key
   * @param visitor what it returns is counted
   * @param most how many times it may return true
   * @return what was found
   */
  public static Walk walk(OnKey waiters, Predicate<Waiter> visitor, int most) {
    Walker walker = new Walker(visitor, most);
    WatchList list = waiters instanceof WatchList several ? several : null;
    // Read without the lock: if it is not null, it was the whole list at that moment.
    Waiter alone = list == null ? (Waiter) waiters : (Waiter) ONLY.getAcquire(list);
    if (list == null || alone != null) {
      walker.see(requireNonNull(alone));
      return walker.end(1);
    }
    Segment segment;
    int size;
    synchronized (list) {
      WaiterChain chain = list.chain;
      segment = chain == null ? null : chain.first();
      walker.skip(chain == null ? 0 : chain.skipped());
      size = list.size();
    }
    for (; segment != null && walker.seen < size && !walker.isDone(); segment = segment.next) {
      walker.see(segment, size);
    }
    return walker.end(size);
  }

  private static final class Walker {
    private final Predicate<Waiter> visitor;
    private final int most;
    private int skipped;

    /** Where to begin in the next segment. */
    private int from;

    private int seen;
    private int cleared;
    private int hits;
    private int atFront;
    private List<Forwarder> forwarders = List.of();

    Walker(Predicate<Waiter> visitor, int most) {
      this.visitor = visitor;
      this.most = most;
    }

    boolean isDone() {
      return hits == most;
    }

    /** Counts the first waiters, which are cleared, without a visit. */
    void skip(int waiters) {
      skipped = waiters;
      from = waiters;
      seen = waiters;
      cleared = waiters;
      atFront = waiters;
    }

    void see(Segment segment, int end) {
      @Nullable Waiter[] waiters = segment.waiters();
      int begin = from;
      from = 0;
      if (waiters.length == 0) { // dropped meanwhile: all were cleared
        pass(Math.min(end - seen, segment.size - begin));
        return;
      }
      for (int i = begin; i < waiters.length; i++) {
        Waiter waiter = waiters[i]; // racy: other threads append
        if (waiter == null || seen == end || isDone()) {
          return;
        }
        see(waiter);
      }
    }

    private void pass(int waiters) {
      seen += waiters;
      cleared += waiters;
      if (cleared + hits == seen) {
        atFront = seen;
      }
    }

    Walk end(int size) {
      int behind = cleared + hits - atFront;
      return new Walk(size, seen - skipped, cleared, hits, behind, isDone(), forwarders);
    }

    void see(Waiter waiter) {
      seen++;
      if (waiter.inUse() == 0) {
        cleared++;
      } else if (waiter instanceof Forwarder forwarder) {
        add(forwarder);
      } else if (visitor.test(waiter)) {
        hits++;
      }
      if (cleared + hits == seen) {
        atFront = seen;
      }
    }

    private void add(Forwarder forwarder) {
      if (forwarders.isEmpty()) {
        forwarders = new ArrayList<>();
      }
      forwarders.add(forwarder);
    }
  }
}
