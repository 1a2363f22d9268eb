package dev.purgatory;

import org.jspecify.annotations.Nullable;

/**
 * The cells of a {@link WatchList} with more than one, in the order in which they came. All methods
 * are to be called with the lock of the list held; only walks go through the arrays without it.
 */
final class CellChain {

  /*
   * One array, which doubles until it has the greatest length; then arrays are chained, so that nothing
   * is ever copied that grows with the list.
   *
   * An array is never changed but by appending, and removing replaces one or two arrays by a copy of
   * what is left of them. A walk that stands on an array that was replaced goes on from there: its
   * `next` still leads to what followed. What is left keeps its order and is put together forward only,
   * so a walk sees each cell that was there when it began, and none twice.
   *
   * Cleared cells are removed in steps, round and round, from where the last step stopped (`swept`). A
   * step looks at two arrays at most. Each new array is paid for by two steps, so a list in use stays in
   * proportion to the operations that wait, and appending is O(1) even in the worst case.
   */

  private static final int STEPS_PER_ARRAY = 2;

  private Cells first = new Cells(Cells.MIN_LENGTH);
  private Cells last = first;
  private @Nullable Cells swept;
  private int size;

  /** Where a walk begins. */
  Cells first() {
    return first;
  }

  /** The number of cells, including cleared ones. */
  int size() {
    return size;
  }

  /**
   * Adds a cell to the end.
   *
   * @return how many cleared cells were removed on the way
   */
  int append(Cell cell) {
    int removed = last.isFull() ? makeRoom() : 0;
    last.add(cell);
    size++;
    return removed;
  }

  private int makeRoom() {
    int before = size;
    for (int i = 0; i < STEPS_PER_ARRAY && (i == 0 || first != last); i++) {
      sweepNext();
    }
    if (last.isFull()) {
      if (first == last && last.cells.length < Cells.MAX_LENGTH) {
        swept = null;
        replace(null, last.doubled(), null);
      } else {
        Cells added = new Cells(Cells.MAX_LENGTH);
        last.next = added;
        last = added;
      }
    }
    return before - size;
  }

  /**
   * Removes the first array if all cells in it are cleared. It costs one look where the oldest
   * operation still waits.
   *
   * @return whether it was removed
   */
  boolean removeFirstIfCleared() {
    if (size == 0 || !first.isCleared()) {
      return false;
    }
    swept = null;
    size -= first.size;
    Cells second = first.next;
    if (second == null) {
      replace(null, new Cells(Cells.MIN_LENGTH), null);
    } else {
      first = second;
    }
    return true;
  }

  /**
   * Removes the cleared cells of the array after the last one that was swept, and puts it together
   * with the one behind it if the rest of both fits into one.
   *
   * @return how many cells this has removed or passed
   */
  int sweepNext() {
    Cells before = swept;
    Cells at = before == null ? first : before.next;
    if (at == null) { // the end: next comes the first
      before = null;
      at = first;
    }
    Cells behind = at.next;
    int inUse = at.inUse();
    if (behind != null && inUse < Cells.MAX_LENGTH) {
      int both = inUse + behind.inUse();
      if (both <= Cells.MAX_LENGTH) {
        swept = before; // the rest of both comes next
        return replaceBoth(before, at, behind, both);
      }
    }
    swept = inUse == at.size ? at : replaceOne(before, at, inUse);
    return at.size;
  }

  private int replaceBoth(@Nullable Cells before, Cells at, Cells behind, int inUse) {
    Cells rest = new Cells(behind == last ? capacity(inUse) : Math.max(1, inUse));
    rest.addInUse(at);
    rest.addInUse(behind);
    int removed = at.size + behind.size - rest.size;
    replace(before, rest, behind.next);
    size -= removed;
    return removed;
  }

  private Cells replaceOne(@Nullable Cells before, Cells at, int inUse) {
    Cells rest = new Cells(at == last ? capacity(inUse) : Math.max(1, inUse));
    rest.addInUse(at);
    size -= at.size - rest.size;
    replace(before, rest, at.next);
    return rest;
  }

  private void replace(@Nullable Cells before, Cells rest, @Nullable Cells behind) {
    rest.next = behind;
    if (before == null) {
      first = rest;
    } else {
      before.next = rest;
    }
    if (behind == null) {
      last = rest;
    }
  }

  /** At least twice what is in use, so that as many can be added before the next sweep. */
  private static int capacity(int inUse) {
    return inUse <= Cells.MIN_LENGTH / 2
        ? Cells.MIN_LENGTH
        : Math.min(Cells.MAX_LENGTH, Integer.highestOneBit(2 * inUse - 1) << 1);
  }
}
