package dev.purgatory;

import java.util.Arrays;
import java.util.function.Predicate;

/** The operations that wait on one key, in the order in which they came. Thread-safe. */
final class WatchList {

  /*
   * An array of cells. What was once published in [0, size) of an array never changes: cells are
   * appended behind it, and removing copies what is left into a new array. So a walk takes the array
   * and the size under the lock and then goes through them without it, which it has to, because it
   * calls the operations. It sees each operation that was on the list when it began.
   *
   * An array that is full is swept, and replaced by one that is at least half empty. So appending is
   * O(1) in the long run, and a list that is in use stays in proportion to the operations that wait,
   * without anybody cleaning up behind.
   *
   * A list that was found empty is retired for good: whoever comes to append then makes a new one.
   *
   * The lock is the monitor of the list, which takes no memory and a third of the time of a
   * ReentrantLock. On JDK 21 to 23 a virtual thread that waits for a monitor keeps its carrier; here it
   * waits for some steps of a thread that is running.
   */

  /** What {@link #append} returns instead of adding to a retired list. */
  static final int RETIRED = -1;

  private static final int MIN_CAPACITY = 4;

  private Cell[] cells = new Cell[MIN_CAPACITY];
  private int size;
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
      int removed = 0;
      if (size == cells.length) {
        removed = sweep();
        if (removed == 0) {
          cells = Arrays.copyOf(cells, capacity(size));
        }
      }
      cells[size++] = cell;
      return removed;
    }
  }

  /**
   * Removes the cells that are cleared, and retires the list if none is left.
   *
   * @return how many were removed
   */
  int removeCleared() {
    synchronized (this) {
      int removed = sweep();
      retired = size == 0;
      return removed;
    }
  }

  /**
   * Copies what is in use. Without a branch on a cell, as which ones are cleared is as good as
   * random: the processor would guess wrong, and wait for the memory of each before it asks for the
   * next.
   */
  private int sweep() {
    int inUse = 0;
    for (int i = 0; i < size; i++) {
      inUse += cells[i].inUse();
    }
    if (inUse == size) {
      return 0;
    }
    Cell[] kept = new Cell[capacity(inUse)];
    int count = 0; // not more than inUse in the end, as cells only clear
    for (int i = 0; i < size; i++) {
      Cell cell = cells[i];
      kept[count] = cell; // where the next takes its place if it is cleared
      count += cell.inUse();
    }
    Arrays.fill(kept, count, kept.length, null);
    int removed = size - count;
    cells = kept;
    size = count;
    return removed;
  }

  /** At least twice what is in use, so that as many can be added before the next sweep. */
  private static int capacity(int inUse) {
    return inUse <= MIN_CAPACITY / 2 ? MIN_CAPACITY : Integer.highestOneBit(2 * inUse - 1) << 1;
  }

  /** Whether the list was found empty. Once true it stays so. */
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

    /** Whether removing what has ended is worth a copy of the rest. */
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
    Cell[] walked;
    int end;
    synchronized (this) {
      walked = cells;
      end = size;
    }
    int cleared = 0;
    int hits = 0;
    for (int i = 0; i < end; i++) {
      DelayedOperation operation = walked[i].operation();
      if (operation == null) {
        cleared++;
      } else if (visitor.test(operation)) {
        hits++;
      }
    }
    return new Walk(end, cleared, hits);
  }
}
