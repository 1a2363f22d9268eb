package dev.purgatory;

import org.jspecify.annotations.Nullable;

/**
 * The registrations of a {@link WatchList} with more than one, in the order in which they came. All
 * methods are to be called with the lock of the list held; only walks go through the arrays without
 * it.
 */
final class RegistrationChain {

  /*
   * One array, which doubles until it has the greatest length; then arrays are chained, so that nothing
   * is ever copied that grows with the list.
   *
   * An array is never changed but by appending, and removing replaces one or two arrays by a copy of
   * what is left of them. A walk that stands on an array that was replaced goes on from there: its
   * `next` still leads to what followed. What is left keeps its order and is put together forward only,
   * so a walk sees each registration that was there when it began, and none twice.
   *
   * Cleared registrations are removed in steps, round and round, from where the last step stopped (`swept`). A
   * step looks at two arrays at most. Each new array is paid for by two steps, so a list in use stays in
   * proportion to the operations that wait, and appending is O(1) even in the worst case.
   */

  private static final int STEPS_PER_ARRAY = 2;

  private Registrations first = new Registrations(Registrations.MIN_LENGTH);
  private Registrations last = first;
  private @Nullable Registrations swept;
  private int size;

  /** Where a walk begins. */
  Registrations first() {
    return first;
  }

  /** The number of registrations, including cleared ones. */
  int size() {
    return size;
  }

  /**
   * Adds a registration to the end.
   *
   * @return how many cleared registrations were removed on the way
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
        replace(null, last.doubled(), null);
      } else {
        Registrations added = new Registrations(Registrations.MAX_LENGTH);
        last.next = added;
        last = added;
      }
    }
    return before - size;
  }

  /**
   * Removes the first array if all registrations in it are cleared. It costs one look where the
   * oldest operation still waits.
   *
   * @return whether it was removed
   */
  boolean removeFirstIfCleared() {
    if (size == 0 || !first.isCleared()) {
      return false;
    }
    swept = null;
    size -= first.size;
    Registrations second = first.next;
    if (second == null) {
      replace(null, new Registrations(Registrations.MIN_LENGTH), null);
    } else {
      first = second;
    }
    return true;
  }

  /**
   * Removes the cleared registrations of the array after the last one that was swept, and puts it
   * together with the one behind it if the rest of both fits into one.
   *
   * @return how many registrations this has removed or passed
   */
  int sweepNext() {
    Registrations before = swept;
    Registrations at = before == null ? first : before.next;
    if (at == null) { // the end: next comes the first
      before = null;
      at = first;
    }
    Registrations behind = at.next;
    int inUse = at.inUse();
    if (behind != null && inUse < Registrations.MAX_LENGTH) {
      int both = inUse + behind.inUse();
      if (both <= Registrations.MAX_LENGTH) {
        swept = before; // the rest of both comes next
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
    } else {
      before.next = rest;
    }
    if (behind == null) {
      last = rest;
    }
  }

  /** At least twice what is in use, so that as many can be added before the next sweep. */
  private static int capacity(int inUse) {
    return inUse <= Registrations.MIN_LENGTH / 2
        ? Registrations.MIN_LENGTH
        : Math.min(Registrations.MAX_LENGTH, Integer.highestOneBit(2 * inUse - 1) << 1);
  }
}
