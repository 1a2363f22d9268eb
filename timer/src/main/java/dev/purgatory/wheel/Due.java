package dev.purgatory.wheel;

/**
 * An entry that was taken out of the wheels because it is due. Ordered as such entries fire.
 *
 * @param entry may get another deadline when it fires
 * @param deadline the deadline of the entry when it was taken
 * @param number orders entries with the same deadline
 */
record Due(TimerEntry entry, long deadline, long number) implements Comparable<Due> {

  Due(TimerEntry entry, long number) {
    this(entry, entry.due(), number);
  }

  @Override
  public int compareTo(Due other) {
    return deadline == other.deadline
        ? Long.compare(number, other.number)
        : Long.compare(deadline, other.deadline);
  }
}
