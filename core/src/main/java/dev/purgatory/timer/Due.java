package dev.purgatory.timer;

import dev.purgatory.internal.TimerEntry;

/**
 * An entry that was taken out of the wheels because it is due. Ordered as entries fire: by
 * deadline, then by number.
 *
 * @param entry the entry
 * @param deadline its deadline, in nanoseconds on the clock of the timer
 * @param number greater than those of the entries that were scheduled before
 */
record Due(TimerEntry entry, long deadline, long number) implements Comparable<Due> {
  @Override
  public int compareTo(Due other) {
    return deadline == other.deadline
        ? Long.compare(number, other.number)
        : Long.compare(deadline, other.deadline);
  }
}
