package dev.purgatory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The operations that wait on one key, in the order in which they came. Thread-safe. */
final class WatchList {

  /*
   * One registration, or a chain of them: very many keys have a single waiter, awaited replies for
   * example.
   *
   * Walks call operations, so they go through the chain without the lock. A walk ends when it has seen
   * as many registrations as the list had when the walk began. So it sees every operation that was on the
   * list then, and it ends even if callbacks keep adding to the list.
   *
   * A single registration is read without the lock, too: while `only` is not null, it is the whole list.
   *
   * Removing cleared registrations takes the lock once for every few hundred, so that nobody waits for a
   * list of a million.
   *
   * An empty list is retired for good: the next appender creates a new one.
   *
   * The lock is the monitor of the list: it needs no memory and a third of the time of a ReentrantLock.
   * On JDK 21 to 23 a virtual thread that waits for a monitor pins its carrier; here it waits for a few
   * steps of a running thread.
   */

  /** Returned by {@link #append} if the list is retired. */
  static final int RETIRED = -1;

  /** Returned by {@link #appendAlone} if another operation waits on the list. */
  static final int IN_USE = -2;

  private static final VarHandle ONLY;

  static {
    try {
      ONLY = MethodHandles.lookup().findVarHandle(WatchList.class, "only", Registration.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  // Guarded by the monitor, except for racy reads of `only` and `retired`. At most one of the first
  // two is not null.
  private @Nullable Registration only;
  private @Nullable RegistrationChain chain;
  private volatile boolean retired;

  /**
   * Adds a registration to the end.
   *
   * @return the number of cleared registrations that were removed to make room, or {@link
   *     #RETIRED}, and the registration was not added
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
      return replaceOnly(registration);
    }
  }

  /**
   * Adds a registration unless another one that has not ended is on the list. One that has ended
   * may still be cleared by the thread that evaluates it.
   *
   * @return as {@link #append}, or {@link #IN_USE}, and the registration was not added
   */
  int appendAlone(Registration registration) {
    synchronized (this) {
      if (retired) {
        return RETIRED;
      }
      boolean free = chain == null && (only == null || only.isEnded());
      return free ? replaceOnly(registration) : IN_USE;
    }
  }

  private int replaceOnly(Registration registration) {
    int removed = only == null ? 0 : 1;
    ONLY.setRelease(this, registration); // published to walks, which read it without the monitor
    return removed;
  }

  private int beginChain(Registration first, Registration second) {
    RegistrationChain made = new RegistrationChain();
    int removed = made.append(first) + made.append(second);
    chain = made;
    only = null;
    return removed;
  }

  /**
   * Removes cleared registrations, and retires the list if it is then empty.
   *
   * @return the number of registrations that were removed
   */
  int removeCleared() {
    return sweep(size()); // one round, from where the last step stopped
  }

  /**
   * Removes cleared registrations after a walk, like {@link #removeCleared}. Costs a few times as
   * many steps as the walk at most, besides one for each registration that is removed.
   *
   * @return the number of registrations that were removed
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
   * Removes a single registration that is cleared, without retiring the list.
   *
   * @return the number of registrations that were removed
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
   * Removes cleared registrations from the front, and retires the list if it is then empty. Costs
   * one step if the oldest operation still waits.
   *
   * @return the number of registrations that were removed
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

  /** Returns the number of registrations, including cleared ones. */
  int size() {
    synchronized (this) {
      return chain == null ? only == null ? 0 : 1 : chain.size();
    }
  }

  /** Returns the first array of the chain, for tests. */
  @Nullable Registrations firstArray() {
    synchronized (this) {
      return chain == null ? null : chain.first();
    }
  }

  // For tests, while no other thread uses the list.

  @Nullable Registration only() {
    return only;
  }

  @Nullable RegistrationChain chain() {
    return chain;
  }

  /** Returns whether the list is retired. Racy, but once true it stays true. */
  boolean isRetired() {
    return retired;
  }

  /**
   * The result of a walk.
   *
   * @param size the number of registrations
   * @param visited how many of them the walk looked at: not those in front of the first one that
   *     may be in use, nor those behind the end of a walk that stopped
   * @param cleared the number of registrations that were cleared before, as far as the walk came
   * @param hits how many times the visitor returned true
   * @param behind how many cleared ones and hits came after one that stays in use
   * @param isStopped whether the visitor has returned true as often as was asked for
   * @param forwarding those that stand for the operations of a key set
   */
  record Walk(
      int size,
      int visited,
      int cleared,
      int hits,
      int behind,
      boolean isStopped,
      List<Registration> forwarding) {

    /** Returns whether removing cleared registrations is worth a copy of the rest. */
    boolean leavesMuchToRemove() {
      int ended = cleared + hits;
      return ended > 0 && ended * 4L >= size;
    }

    /** Returns whether it is worth a copy of what was visited. */
    boolean leavesMuchBehind() {
      return behind * 4L >= Math.max(visited, Registrations.MAX_LENGTH);
    }

    /** Returns whether the list had one registration, which is cleared now. */
    boolean isOneEnded() {
      return size == 1 && cleared + hits == 1;
    }
  }

  /**
   * Calls the visitor, without a lock, with each registration that was on the list when the walk
   * began and is not cleared.
   */
  Walk walk(Predicate<Registration> visitor) {
    return walk(visitor, Integer.MAX_VALUE);
  }

  /** Walks like {@link #walk(Predicate)}, until the visitor has returned true so many times. */
  Walk walk(Predicate<Registration> visitor, int most) {
    Walker walker = new Walker(visitor, most);
    Registration alone = (Registration) ONLY.getAcquire(this); // racy: one that is seen was alone
    if (alone != null) {
      walker.see(alone);
      return walker.end(1);
    }
    Registrations array;
    int size;
    synchronized (this) {
      array = chain == null ? null : chain.first();
      walker.skip(chain == null ? 0 : chain.skipped());
      size = size();
    }
    for (; array != null && walker.seen < size && !walker.isDone(); array = array.next) {
      walker.see(array, size);
    }
    return walker.end(size);
  }

  private static final class Walker {
    private final Predicate<Registration> visitor;
    private final int most;
    private int skipped;
    private int seen;
    private int cleared;
    private int hits;
    private int atFront;
    private List<Registration> forwarding = List.of();

    Walker(Predicate<Registration> visitor, int most) {
      this.visitor = visitor;
      this.most = most;
    }

    boolean isDone() {
      return hits == most;
    }

    /** Counts the first registrations, which are cleared, without a visit. */
    void skip(int registrations) {
      skipped = registrations;
      seen = registrations;
      cleared = registrations;
      atFront = registrations;
    }

    void see(Registrations array, int end) {
      for (int i = seen == skipped ? skipped : 0; i < array.registrations.length; i++) {
        Registration registration = array.registrations[i]; // racy: other threads append
        if (registration == null || seen == end || isDone()) {
          return;
        }
        see(registration);
      }
    }

    Walk end(int size) {
      int behind = cleared + hits - atFront;
      return new Walk(size, seen - skipped, cleared, hits, behind, isDone(), forwarding);
    }

    void see(Registration registration) {
      seen++;
      if (registration.inUse() == 0) {
        cleared++;
      } else if (visitor.test(registration)) {
        hits++;
      } else if (registration.isForwarding()) {
        forward(registration);
      }
      if (cleared + hits == seen) {
        atFront = seen;
      }
    }

    private void forward(Registration registration) {
      if (forwarding.isEmpty()) {
        forwarding = new ArrayList<>();
      }
      forwarding.add(registration);
    }
  }
}
