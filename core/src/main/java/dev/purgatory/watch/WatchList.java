package dev.purgatory.watch;

import dev.purgatory.watch.WaiterChain.Segment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The waiters on one key, in the order in which they came. Thread-safe. */
public final class WatchList implements Waiters {

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
  @Nullable Waiter only;
  @Nullable WaiterChain chain;
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
      int removed = only == null ? 0 : 1;
      ONLY.setRelease(this, waiter); // published to walks, which read it without the monitor
      return removed;
    }
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
    boolean isMuchLeft = walk.behind() * 4L >= Math.max(walk.visited(), Segment.MAX_LENGTH);
    return isMuchLeft ? removed + sweepFromFront(walk.visited()) : removed; // worth a copy, or not
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
    for (int left = steps; ; ) {
      synchronized (this) {
        if (chain == null) {
          return retireIfEmpty(removeOnlyIfCleared() ? 1 : 0);
        }
        left -= chain.sweepNext();
        if (left <= 0 || chain.size() == 0) {
          return retireIfEmpty(chain.takeRemoved());
        }
      }
    }
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
    for (; ; ) {
      synchronized (this) {
        if (chain == null) {
          return retireIfEmpty(removeOnlyIfCleared() ? 1 : 0);
        }
        if (!chain.removeFirstIfCleared()) {
          return retireIfEmpty(chain.takeRemoved());
        }
      }
    }
  }

  private int retireIfEmpty(int removed) {
    retired = size() == 0;
    return removed;
  }

  /** Returns the number of waiters, including cleared ones. */
  int size() {
    synchronized (this) {
      return chain == null ? only == null ? 0 : 1 : chain.size();
    }
  }

  /** Returns whether this is empty for good. Racy: once true, it stays true. */
  boolean isRetired() {
    return retired;
  }

  @Override
  public Walk walk(Predicate<Waiter> visitor, int most) {
    // Read without the lock: if it is not null, it was the whole list at that moment.
    Waiter single = (Waiter) ONLY.getAcquire(this);
    if (single != null) {
      return single.walk(visitor, most);
    }
    Walk.Walker walker = new Walk.Walker(visitor, most);
    Segment segment;
    int from;
    int size;
    synchronized (this) {
      segment = chain == null ? null : chain.first();
      from = chain == null ? 0 : chain.skipped();
      size = size();
    }
    walker.skip(from);
    for (; segment != null && walker.seen() < size && !walker.isDone(); segment = segment.next) {
      walk(segment, from, size, walker);
      from = 0;
    }
    return walker.end(size);
  }

  private static void walk(Segment segment, int from, int end, Walk.Walker walker) {
    @Nullable Waiter[] waiters = segment.waiters();
    if (waiters.length == 0) { // dropped: all were cleared
      walker.pass(Math.min(end - walker.seen(), segment.size - from));
    }
    for (int i = from; i < waiters.length; i++) {
      Waiter waiter = waiters[i]; // racy: other threads append
      if (waiter == null || walker.seen() == end || walker.isDone()) {
        return;
      }
      walker.see(waiter);
    }
  }
}
