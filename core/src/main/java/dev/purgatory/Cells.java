package dev.purgatory;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Some cells of a {@link WatchList}, in the order in which they came. */
final class Cells {

  /*
   * Cells are appended under the lock of the list, and read without it by walks: what lies before the
   * size that a walk has seen under the lock never changes. Removing copies what is left.
   */

  static final int MIN_LENGTH = 4;
  static final int MAX_LENGTH = 256;

  /** Filled from the start; the rest is null. */
  final @Nullable Cell[] cells;

  /** Guarded by the lock of the list. */
  int size;

  /**
   * Written under the lock of the list, and read without: volatile, as it publishes what follows.
   */
  volatile @Nullable Cells next;

  Cells(int length) {
    cells = new Cell[length];
  }

  private Cells(Cells former, int length) {
    cells = Arrays.copyOf(former.cells, length);
    size = former.size;
  }

  /** Returns a copy with room for as many again. */
  Cells doubled() {
    return new Cells(this, Math.min(MAX_LENGTH, 2 * cells.length));
  }

  boolean isFull() {
    return size == cells.length;
  }

  void add(Cell cell) {
    cells[size++] = cell;
  }

  /** How many are not cleared. They are counted without a branch on each: see {@link #addInUse}. */
  int inUse() {
    int inUse = 0;
    for (int i = 0; i < size; i++) {
      inUse += at(i).inUse();
    }
    return inUse;
  }

  /** Whether all are cleared. Looks no further than the first that is not. */
  boolean isCleared() {
    for (int i = 0; i < size; i++) {
      if (at(i).inUse() != 0) {
        return false;
      }
    }
    return true;
  }

  /**
   * Adds those of the other that are not cleared; there has to be room for them. Without a branch
   * on a cell, as which ones are cleared is as good as random: the processor would guess wrong, and
   * wait for the memory of each before it asks for the next.
   */
  void addInUse(Cells other) {
    int last = cells.length - 1;
    for (int i = 0; i < other.size && size <= last; i++) {
      Cell cell = other.at(i);
      cells[size] = cell; // where the next takes its place if it is cleared
      size += cell.inUse();
    }
    if (size <= last) {
      cells[size] = null; // the last one that was looked at may have been cleared
    }
  }

  @SuppressWarnings("NullAway") // Below the size there are no nulls.
  private Cell at(int index) {
    return cells[index];
  }
}
