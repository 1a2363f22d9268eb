package dev.purgatory;

import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The operations that wait on one key, in the order in which they came. Thread-safe. */
final class WatchList {

  /*
   * A cell, or a chain of them: very many keys have one waiter, replies by their number for example.
   *
   * Walks go through the chain without the lock, which they have to, because they call the operations.
   * A walk ends when it has seen as many cells as were on the list when it began: so it sees each
   * operation that was on the list then, and ends also if callbacks add to it.
   *
   * Removing cleared cells takes the lock again and again, for a few hundred cells each: so nobody
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

  // Guarded by the monitor, but for racy looks at `retired`. One of the first two at most is not
  // null.
  private @Nullable Cell only;
  private @Nullable CellChain chain;
  private volatile boolean retired;

  /**
   * Adds a cell to the end.
   *
   * @return how many cleared cells were removed on the way, or {@link #RETIRED} if the list is
   *     retired, and the cell not added
   */
  int append(Cell cell) {
    synchronized (this) {
      if (retired) {
        return RETIRED;
      }
      if (chain != null) {
        return chain.append(cell);
      }
      if (only != null && only.inUse() != 0) {
        return beginChain(only, cell);
      }
      int removed = only == null ? 0 : 1;
      only = cell;
      return removed;
    }
  }

  private int beginChain(Cell first, Cell second) {
    CellChain made = new CellChain();
    int removed = made.append(first) + made.append(second);
    chain = made;
    only = null;
    return removed;
  }

  /**
   * Removes the cells that are cleared, and retires the list if none is left.
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
   * Removes cleared cells from the front, and retires the list if none is left. It costs one look
   * where the oldest operation still waits.
   *
   * @return how many cells were removed
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

  /** The number of cells, including cleared ones. */
  int size() {
    synchronized (this) {
      return chain == null ? only == null ? 0 : 1 : chain.size();
    }
  }

  /** The first array of the chain, for tests. */
  @Nullable Cells firstArray() {
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
   * @param size the number of cells
   * @param cleared cells of operations that had ended before
   * @param hits how many times the visitor answered true
   */
  record Walk(int size, int cleared, int hits) {

    /** Whether removing cleared cells is worth a copy of the rest. */
    boolean leavesMuchToRemove() {
      int ended = cleared + hits;
      return ended > 0 && ended * 4L >= size;
    }
  }

  /**
   * Calls the visitor, without a lock, with each operation that was on the list when the walk began
   * and has not ended since.
   */
  Walk walk(Predicate<DelayedOperation> visitor) {
    Walker walker = new Walker(visitor);
    Cell cell;
    Cells array;
    int size;
    synchronized (this) {
      cell = only;
      array = chain == null ? null : chain.first();
      size = size();
    }
    if (cell != null) {
      walker.see(cell);
    }
    for (; array != null && walker.seen < size; array = array.next) {
      walker.see(array, size);
    }
    return new Walk(size, walker.cleared, walker.hits);
  }

  private static final class Walker {
    private final Predicate<DelayedOperation> visitor;
    private int seen;
    private int cleared;
    private int hits;

    Walker(Predicate<DelayedOperation> visitor) {
      this.visitor = visitor;
    }

    void see(Cells array, int end) {
      for (Cell cell : array.cells) { // racy: other threads append
        if (cell == null || seen == end) {
          return;
        }
        see(cell);
      }
    }

    void see(Cell cell) {
      seen++;
      DelayedOperation operation = cell.operation();
      if (operation == null) {
        cleared++;
      } else if (visitor.test(operation)) {
        hits++;
      }
    }
  }
}
