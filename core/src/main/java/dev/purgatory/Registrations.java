package dev.purgatory;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** An array of registrations of a {@link WatchList}, oldest first. */
final class Registrations {

  /*
   * Registrations are appended under the lock of the list. Walks read them without it: elements below the
   * size that a walk saw under the lock never change. Removing copies what is left.
   */

  static final int MIN_LENGTH = 4;
  static final int MAX_LENGTH = 256;

  /** Filled from the start; the rest is null. */
  final @Nullable Registration[] registrations;

  /** Guarded by the lock of the list. */
  int size;

  /**
   * Written under the lock of the list and read without it: volatile, as it publishes the next
   * array.
   */
  volatile @Nullable Registrations next;

  Registrations(int length) {
    registrations = new Registration[length];
  }

  private Registrations(Registrations former, int length) {
    registrations = Arrays.copyOf(former.registrations, length);
    size = former.size;
  }

  /** Returns a copy of twice the length. */
  Registrations doubled() {
    return new Registrations(this, Math.min(MAX_LENGTH, 2 * registrations.length));
  }

  boolean isFull() {
    return size == registrations.length;
  }

  void add(Registration registration) {
    registrations[size++] = registration;
  }

  /** Returns how many are not cleared. Counts without branching: see {@link #addInUse}. */
  int inUse() {
    int inUse = 0;
    for (int i = 0; i < size; i++) {
      inUse += at(i).inUse();
    }
    return inUse;
  }

  /** Returns the index of the first one that is not cleared, from this index on; else the size. */
  int skipCleared(int from) {
    int index = from;
    while (index < size && at(index).inUse() == 0) {
      index++;
    }
    return index;
  }

  /**
   * Adds the registrations of the other array that are not cleared; there must be room for them.
   * Does not branch on a registration: the branches would be mispredicted, and each misprediction
   * waits for memory before the next load can start.
   */
  void addInUse(Registrations other) {
    int last = registrations.length - 1;
    for (int i = 0; i < other.size && size <= last; i++) {
      Registration registration = other.at(i);
      registrations[size] = registration; // overwritten by the next if it is cleared
      size += registration.inUse();
    }
    if (size <= last) {
      registrations[size] = null; // the last one visited may have been cleared
    }
  }

  @SuppressWarnings("NullAway") // no nulls below the size
  private Registration at(int index) {
    return registrations[index];
  }
}
