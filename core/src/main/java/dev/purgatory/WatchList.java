package dev.purgatory;

import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The operations that wait on one key, in the order in which they came. Thread-safe. */
final class WatchList {

  /*
   * A registration, or a chain of them: very many keys have one waiter, replies by their number for example.
   *
   * Walks go through the chain without the lock, which they have to, because they call the operations.
   * A walk ends when it has seen as many registrations as were on the list when it began: so it sees each
   * operation that was on the list then, and ends also if callbacks add to it.
   *
   * Removing cleared registrations takes the lock again and again, for a few hundred registrations each: so nobody
   * waits for a list of a million.
   *
   * A list that was found empty is retired for good: an appender then makes a new one.
   *
   * The lock is the monitor of the list, which takes no memory and a third of the time of a
   * ReentrantLock. On JDK 21 to 23 a virtual thread that waits for a monitor keeps its carrier; here it
   * waits for some steps of a thread that is running.
   */

  /** What {@link #append} returns instead of adding to a retired list. */
  static final int RETIRED = -1;

  /** What {@link #appendAlone} returns where another registration has the list. */
  static final int IN_USE = -2;

  // Guarded by the monitor, but for racy looks at `retired`. One of the first two at most is not
  // null.
  private @Nullable Registration only;
  private @Nullable RegistrationChain chain;
  private volatile boolean retired;

  /**
   * Adds a registration to the end.
   *
   * @return how many cleared registrations were removed on the way, or {@link #RETIRED} if the list
   *     is retired, and the registration not added
   */
  int append(Registration registration) {
    synchronized (this) {
      if (retired) {
        return RETIRED;
      }
      if (chain != null) {
        return chain.append(registration);
      }
      if (only != null && only.inUse() != 0) {
        return beginChain(only, registration);
      }
      int removed = only == null ? 0 : 1;
      only = registration;
      return removed;
    }
  }

  /**
   * Adds a registration if no other that is in use is on the list.
   *
   * @return as {@link #append}, or {@link #IN_USE}
   */
  int appendAlone(Registration registration) {
    synchronized (this) {
      if (retired) {
        return RETIRED;
      }
      boolean free = chain == null && (only == null || only.inUse() == 0);
      return free ? append(registration) : IN_USE;
    }
  }

  private int beginChain(Registration first, Registration second) {
    RegistrationChain made = new RegistrationChain();
    int removed = made.append(first) + made.append(second);
    chain = made;
    only = null;
    return removed;
  }

  /**
   * Removes the registrations that are cleared, and retires the list if none is left.
   *
   * @return how many were removed
   */
  int removeCleared() {
    int removed = 0;
    int left = size(); // once round, from wherever the last step stopped
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

  private boolean removeOnlyIfCleared() {
    boolean cleared = only != null && only.inUse() == 0;
    if (cleared) {
      only = null;
    }
    return cleared;
  }

  /**
   * Removes cleared registrations from the front, and retires the list if none is left. It costs
   * one look where the oldest operation still waits.
   *
   * @return how many registrations were removed
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

  /** The number of registrations, including cleared ones. */
  int size() {
    synchronized (this) {
      return chain == null ? only == null ? 0 : 1 : chain.size();
    }
  }

  /** The first array of the chain, for tests. */
  @Nullable Registrations firstArray() {
    synchronized (this) {
      return chain == null ? null : chain.first();
    }
  }

  /** Whether the list was found empty. Once true it stays so. Racy. */
  boolean isRetired() {
    return retired;
  }

  /**
   * What a walk has met.
   *
   * @param size the number of registrations
   * @param cleared registrations of operations that had ended before
   * @param hits how many times the visitor answered true
   */
  record Walk(int size, int cleared, int hits) {

    /** Whether removing cleared registrations is worth a copy of the rest. */
    boolean leavesMuchToRemove() {
      int ended = cleared + hits;
      return ended > 0 && ended * 4L >= size;
    }
  }

  /**
   * Calls the visitor, without a lock, with each operation that was on the list when the walk began
   * and has not ended since.
   */
  Walk walk(Predicate<Registration> visitor) {
    Walker walker = new Walker(visitor);
    Registration registration;
    Registrations array;
    int size;
    synchronized (this) {
      registration = only;
      array = chain == null ? null : chain.first();
      size = size();
    }
    if (registration != null) {
      walker.see(registration);
    }
    for (; array != null && walker.seen < size; array = array.next) {
      walker.see(array, size);
    }
    return new Walk(size, walker.cleared, walker.hits);
  }

  private static final class Walker {
    private final Predicate<Registration> visitor;
    private int seen;
    private int cleared;
    private int hits;

    Walker(Predicate<Registration> visitor) {
      this.visitor = visitor;
    }

    void see(Registrations array, int end) {
      for (Registration registration : array.registrations) { // racy: other threads append
        if (registration == null || seen == end) {
          return;
        }
        see(registration);
      }
    }

    void see(Registration registration) {
      seen++;
      if (registration.inUse() == 0) {
        cleared++;
      } else if (visitor.test(registration)) {
        hits++;
      }
    }
  }
}
