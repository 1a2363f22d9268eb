package dev.purgatory.checker;

/** What must hold of a purgatory, whatever is done to it. */
public enum Invariant {
  ONCE("an operation is answered once at most, and once if it has completed or expired"),
  NO_LOST_WAKE_UP("what can be answered when its key is checked, or when it is added, has ended"),
  NOT_HELD_AFTER_END("what ended while it was added is on no key and in no timer"),
  CALLBACKS_APART("callbacks of one operation never overlap, and come in their order"),
  NEVER_EARLY("time forces no answer before the timeout has passed"),
  NOT_LATE("what is due when the clock is advanced has ended once the executor is free"),
  EXACT_COUNT("pending() and the size of the timer are the number of operations held"),
  LET_GO("an ended operation is referred to by no list and no wheel"),
  FAILURES_STAY_APART("what a callback throws is reported once, and nothing else changes"),
  NO_LOCK_HELD("no code from outside runs with a lock of the purgatory or the timer held"),
  SOUND_LINKS("the links of wheels and lists agree, and each entry is where it belongs"),
  NO_OVERSLEEP("the clock is never told to sleep beyond the first deadline"),
  RETURN_VALUES("who is told that he ended an operation is the one who did"),
  CLOSED_FOR_GOOD("after close() every operation has an end, and none gets in or is called"),
  PROGRESS("once faults stop and time goes on, everything ends"),
  RETAINED(
      "the timer and the lists keep less than twice what is pending plus a constant, and a constant"
          + " one second after nothing is"),
  THREADS("a purgatory has few threads of its own, and none some time after its last task"),
  STACK_DEPTH("the stack inside a callback is no deeper than a constant"),
  DETERMINISM("the same seed gives the same trace");

  private final String meaning;

  Invariant(String meaning) {
    this.meaning = meaning;
  }

  /** What it says. */
  public String meaning() {
    return meaning;
  }
}
