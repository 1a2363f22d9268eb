package dev.purgatory.watch;

import org.jspecify.annotations.Nullable;

/**
 * The waiters of a {@link WatchList} that has several, oldest first. All methods require the lock
 * of the list; only walks go through the segments without it.
 */
final class WaiterChain {

  /*
   * One segment doubles until it reaches the greatest length; then further segments are chained, so no copy
   * grows with the list.
   *
   * A segment changes only by appending. Removing replaces one or two segments by a copy of the rest of
   * them. A walk on a replaced segment continues from there: its `next` still leads to the segments behind.
   * Copies keep the order and only ever merge with the segment behind, so a walk sees each waiter
   * that was there when it began, and none twice.
   *
   * A segment on which all waiters are cleared is dropped, and releases its array: a walk that comes to it
   * goes on behind it. Without that, a dropped segment in the old generation of a collector keeps all later
   * ones alive with their waiters, each of which is dropped in its turn, until a full collection.
   *
   * Cleared waiters are removed in steps, round-robin, from where the last step stopped (`swept`).
   * A step looks at the waiters of one segment, and merges the rest with the segment before, which has no more
   * waiters in use than when it was swept. To look is what costs: waiters are seldom cached. Each new segment pays for
   * two steps, so the length of a list is proportional to the waiters in use, and appending is O(1) in the worst case.
   *
   * Walks begin behind the cleared waiters at the front of the first segment (`skipped`), which stay
   * there until all of the segment is cleared or it is swept. So a walk that ends at the first waiter in use
   * costs the same however many were ahead of it.
   */

  private static final int STEPS_PER_SEGMENT = 2;

  private Segment first = new Segment(Segment.MIN_LENGTH);
  Segment last = first;
  private @Nullable Segment swept;

  /** The segment before {@link #swept}; null if there is none. */
  private @Nullable Segment beforeSwept;

  private int skipped;
  private int size;

  /** How many waiters were removed and not yet taken by the caller who counts them. */
  private int removed;

  /** Returns the segment where a walk begins. */
  Segment first() {
    return first;
  }

  /** Returns how many waiters of the first segment were passed over. They are cleared. */
  int skipped() {
    return skipped;
  }

  /** Returns the number of waiters, including cleared ones. */
  int size() {
    return size;
  }

  /**
   * Adds a waiter to the end.
   *
   * @return the number of cleared waiters that were removed
   */
  int append(Waiter waiter) {
    if (last.isFull()) {
      makeRoom();
    }
    last.add(waiter);
    size++;
    return takeRemoved();
  }

  /** Returns how many waiters were removed since the last call. */
  int takeRemoved() {
    int taken = removed;
    removed = 0;
    return taken;
  }

  private void remove(int waiters) {
    size -= waiters;
    removed += waiters;
  }

  private void makeRoom() {
    for (int i = 0; i < STEPS_PER_SEGMENT && (i == 0 || first != last); i++) {
      sweepNext();
    }
    if (last.isFull()) {
      if (first == last && last.waiters.length < Segment.MAX_LENGTH) {
        sweepFromFront();
        replaceOne(null, last, last.size); // twice the length, up to the greatest
      } else {
        Segment added = new Segment(Segment.MAX_LENGTH);
        last.next = added;
        last = added;
      }
    }
  }

  /**
   * Removes the first segment if all its waiters are cleared, else passes over those at its front.
   * Costs one step if the oldest waiter is still in use.
   *
   * @return whether it was removed
   */
  boolean removeFirstIfCleared() {
    skipped = first.skipCleared(skipped);
    if (size == 0 || skipped < first.size) {
      return false;
    }
    sweepFromFront();
    drop(null, first);
    return true;
  }

  /** Removes a segment on which all waiters are cleared. */
  private void drop(@Nullable Segment before, Segment at) {
    Segment behind = at.next;
    if (before == null) {
      first = behind == null ? new Segment(Segment.MIN_LENGTH) : behind;
      skipped = 0;
    } else {
      before.next = behind;
    }
    if (behind == null) {
      last = before == null ? first : before;
    }
    remove(at.size);
    at.release();
  }

  /** Makes the first segment the next one to be swept. */
  void sweepFromFront() {
    swept = null;
    beforeSwept = null;
  }

  /**
   * Removes the cleared waiters of the segment after the last swept one, and merges the two if the
   * rest fits into one.
   *
   * @return the number of waiters that were removed or passed
   */
  int sweepNext() {
    Segment before = swept;
    Segment at = before == null ? first : before.next;
    if (at == null) { // the end: start again at the first
      sweepFromFront();
      before = null;
      at = first;
    }
    int inUse = at.inUse();
    int steps = at.size;
    if (inUse == 0) {
      drop(before, at);
    } else if (before != null && before.size + inUse <= Segment.MAX_LENGTH) {
      swept = replaceBoth(before, at, inUse);
    } else {
      beforeSwept = before;
      swept = inUse == at.size ? at : replaceOne(before, at, inUse);
    }
    return steps;
  }

  private Segment replaceBoth(Segment before, Segment at, int inUse) {
    assert (beforeSwept == null ? first : beforeSwept.next) == before : "the chain has changed";
    int from = beforeSwept == null ? skipped : 0;
    int both = before.size - from + inUse;
    Segment rest = new Segment(at == last ? capacity(both) : both);
    rest.addAll(before, from);
    rest.addInUse(at);
    remove(before.size + at.size - rest.size);
    replace(beforeSwept, rest, at.next);
    return rest;
  }

  private Segment replaceOne(@Nullable Segment before, Segment at, int inUse) {
    Segment rest = new Segment(at == last ? capacity(inUse) : inUse);
    rest.addInUse(at);
    remove(at.size - rest.size);
    replace(before, rest, at.next);
    return rest;
  }

  private void replace(@Nullable Segment before, Segment rest, @Nullable Segment behind) {
    rest.next = behind;
    if (before == null) {
      first = rest;
      skipped = 0;
    } else {
      before.next = rest;
    }
    if (behind == null) {
      last = rest;
    }
  }

  /** Returns at least twice the number in use, so that as many fit before the next sweep. */
  private static int capacity(int inUse) {
    return inUse <= Segment.MIN_LENGTH / 2
        ? Segment.MIN_LENGTH
        : Math.min(Segment.MAX_LENGTH, Integer.highestOneBit(2 * inUse - 1) << 1);
  }

  /** An array of waiters, oldest first. */
  static final class Segment {

    /*
     * Waiters are appended under the lock of the list. Walks read them without it: elements below the
     * size that a walk saw under the lock never change. Removing copies the rest.
     */

    static final int MIN_LENGTH = 4;
    static final int MAX_LENGTH = 256;

    private static final @Nullable Waiter[] RELEASED = {};

    /** Filled from the start; the rest is null. Read without the lock: see {@link #release}. */
    private @Nullable Waiter[] waiters;

    /** Guarded by the lock of the list. */
    int size;

    /**
     * Written under the lock of the list and read without it: volatile, as it publishes the next
     * segment.
     */
    volatile @Nullable Segment next;

    Segment(int length) {
      waiters = new Waiter[length];
    }

    /** Returns the waiters for a walk, which must read them once. */
    @Nullable Waiter[] waiters() {
      return waiters; // racy: the array, or an empty one if all of its waiters are cleared
    }

    /** Gives up the array, when all waiters are cleared and the segment has left the chain. */
    void release() {
      assert inUse() == 0 : "a waiter in use is dropped";
      waiters = RELEASED; // the size stays, for walks that count what they pass
    }

    boolean isFull() {
      return size == waiters.length;
    }

    void add(Waiter waiter) {
      waiters[size++] = waiter;
    }

    /** Adds the waiters of the other array from this index on; there must be room for them. */
    void addAll(Segment other, int from) {
      System.arraycopy(other.waiters, from, waiters, size, other.size - from);
      size += other.size - from;
    }

    /** Returns how many are not cleared. Counts without branching: see {@link #addInUse}. */
    int inUse() {
      int inUse = 0;
      for (int i = 0; i < size; i++) {
        inUse += at(i).inUse();
      }
      return inUse;
    }

    /**
     * Returns the index of the first one that is not cleared, from this index on; else the size.
     */
    int skipCleared(int from) {
      int index = from;
      while (index < size && at(index).inUse() == 0) {
        index++;
      }
      return index;
    }

    /**
     * Adds the waiters of the other array that are not cleared; there must be room for them. Does
     * not branch on a waiter: the branches would be mispredicted, and each misprediction waits for
     * memory before the next load can start.
     */
    void addInUse(Segment other) {
      int last = waiters.length - 1;
      for (int i = 0; i < other.size && size <= last; i++) {
        Waiter waiter = other.at(i);
        waiters[size] = waiter; // overwritten by the next if it is cleared
        size += waiter.inUse();
      }
      if (size <= last) {
        waiters[size] = null; // the last one visited may have been cleared
      }
    }

    @SuppressWarnings("NullAway") // no nulls below the size
    private Waiter at(int index) {
      return waiters[index];
    }
  }
}
