package dev.purgatory;

import org.jspecify.annotations.Nullable;

/**
 * The registrations of a {@link WatchList} that has several, oldest first. All methods require the
 * lock of the list; only walks go through the arrays without it.
 */
final class RegistrationChain {

  /*
   * One array doubles until it reaches the greatest length; then further arrays are chained, so no copy
   * grows with the list.
   *
   * An array changes only by appending. Removing replaces one or two arrays by a copy of what is left of
   * them. A walk on a replaced array continues from there: its `next` still leads to the arrays behind.
   * Copies keep the order and only ever merge with the array behind, so a walk sees each registration
   * that was there when it began, and none twice.
   *
   * Cleared registrations are removed in steps, round-robin, from where the last step stopped (`swept`).
   * A step visits at most two arrays. Each new array pays for two steps, so the length of a list in use is
   * proportional to the operations that wait, and appending is O(1) in the worst case.
   *
   * Walks begin behind the cleared registrations at the front of the first array (`skipped`), which stay
   * there until all of the array is cleared or it is swept. So a walk that ends at the first operation that
   * waits costs the same however many were ahead of it.
   */

  private static final int STEPS_PER_ARRAY = 2;

  private Registrations first = new Registrations(Registrations.MIN_LENGTH);
  private Registrations last = first;
  private @Nullable Registrations swept;
  private int skipped;
  private int size;

  /** Returns the array where a walk begins. */
  Registrations first() {
    return first;
  }

  /** Returns how many registrations of the first array were passed over. They are cleared. */
  int skipped() {
    return skipped;
  }

  /** For tests. */
  Registrations last() {
    return last;
  }

  /** Returns the number of registrations, including cleared ones. */
  int size() {
    return size;
  }

  /**
   * Adds a registration to the end.
   *
   * @return the number of cleared registrations that were removed to make room
   */
  int append(Registration registration) {
    int removed = last.isFull() ? makeRoom() : 0;
    last.add(registration);
    size++;
    return removed;
  }

  private int makeRoom() {
    int before = size;
    for (int i = 0; i < STEPS_PER_ARRAY && (i == 0 || first != last); i++) {
      sweepNext();
    }
    if (last.isFull()) {
      if (first == last && last.registrations.length < Registrations.MAX_LENGTH) {
        swept = null;
        int passed = skipped;
        replace(null, last.doubled(), null);
        skipped = passed;
      } else {
        Registrations added = new Registrations(Registrations.MAX_LENGTH);
        last.next = added;
        last = added;
      }
    }
    return before - size;
  }

  /**
   * Removes the first array if all its registrations are cleared, else passes over those at its
   * front. Costs one step if the oldest operation still waits.
   *
   * @return whether it was removed
   */
  boolean removeFirstIfCleared() {
    skipped = first.skipCleared(skipped);
    if (size == 0 || skipped < first.size) {
      return false;
    }
    swept = null;
    skipped = 0;
    size -= first.size;
    Registrations second = first.next;
    if (second == null) {
      replace(null, new Registrations(Registrations.MIN_LENGTH), null);
    } else {
      first = second;
    }
    return true;
  }

  /** Makes the first array the next one to be swept. */
  void sweepFromFront() {
    swept = null;
  }

  /**
   * Removes the cleared registrations of the array after the last swept one, and merges it with the
   * array behind it if the rest of both fits into one.
   *
   * @return the number of registrations that were removed or passed
   */
  int sweepNext() {
    Registrations before = swept;
    Registrations at = before == null ? first : before.next;
    if (at == null) { // the end: start again at the first
      before = null;
      at = first;
    }
    Registrations behind = at.next;
    int inUse = at.inUse();
    if (behind != null && inUse < Registrations.MAX_LENGTH) {
      int both = inUse + behind.inUse();
      if (both <= Registrations.MAX_LENGTH) {
        swept = before; // the merged array is next
        return replaceBoth(before, at, behind, both);
      }
    }
    swept = inUse == at.size ? at : replaceOne(before, at, inUse);
    return at.size;
  }

  private int replaceBoth(
      @Nullable Registrations before, Registrations at, Registrations behind, int inUse) {
    Registrations rest = new Registrations(behind == last ? capacity(inUse) : Math.max(1, inUse));
    rest.addInUse(at);
    rest.addInUse(behind);
    int removed = at.size + behind.size - rest.size;
    replace(before, rest, behind.next);
    size -= removed;
    return removed;
  }

  private Registrations replaceOne(@Nullable Registrations before, Registrations at, int inUse) {
    Registrations rest = new Registrations(at == last ? capacity(inUse) : Math.max(1, inUse));
    rest.addInUse(at);
    size -= at.size - rest.size;
    replace(before, rest, at.next);
    return rest;
  }

  private void replace(
      @Nullable Registrations before, Registrations rest, @Nullable Registrations behind) {
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
    return inUse <= Registrations.MIN_LENGTH / 2
        ? Registrations.MIN_LENGTH
        : Math.min(Registrations.MAX_LENGTH, Integer.highestOneBit(2 * inUse - 1) << 1);
  }
}
