package dev.purgatory;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Some registrations of a {@link WatchList}, in the order in which they came. */
final class Registrations {

  /*
   * Registrations are appended under the lock of the list, and read without it by walks: what lies before the
   * size that a walk has seen under the lock never changes. Removing copies what is left.
   */

  static final int MIN_LENGTH = 4;
  static final int MAX_LENGTH = 256;

  /** Filled from the start; the rest is null. */
  final @Nullable Registration[] registrations;

  /** Guarded by the lock of the list. */
  int size;

  /**
   * Written under the lock of the list, and read without: volatile, as it publishes what follows.
   */
  volatile @Nullable Registrations next;

  Registrations(int length) {
    registrations = new Registration[length];
  }

  private Registrations(Registrations former, int length) {
    registrations = Arrays.copyOf(former.registrations, length);
    size = former.size;
  }

  /** Returns a copy with room for as many again. */
  Registrations doubled() {
    return new Registrations(this, Math.min(MAX_LENGTH, 2 * registrations.length));
  }

  boolean isFull() {
    return size == registrations.length;
  }

  void add(Registration registration) {
    registrations[size++] = registration;
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
   * on a registration, as which ones are cleared is as good as random: the processor would guess
   * wrong, and wait for the memory of each before it asks for the next.
   */
  void addInUse(Registrations other) {
    int last = registrations.length - 1;
    for (int i = 0; i < other.size && size <= last; i++) {
      Registration registration = other.at(i);
      registrations[size] = registration; // where the next takes its place if it is cleared
      size += registration.inUse();
    }
    if (size <= last) {
      registrations[size] = null; // the last one that was looked at may have been cleared
    }
  }

  @SuppressWarnings("NullAway") // Below the size there are no nulls.
  private Registration at(int index) {
    return registrations[index];
  }
}
