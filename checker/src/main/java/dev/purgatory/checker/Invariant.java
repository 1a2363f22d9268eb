package dev.purgatory.checker;

/** A property that always holds, whatever is done to a purgatory. */
public enum Invariant {
  ONCE("an operation is answered once if it has ended, and never before"),
  NO_LOST_WAKE_UP(
      "an operation that is ready when it is added, or when its key is signalled, ends"),
  NOT_HELD_AFTER_END("an operation that ends while it is added is on no list and in no timer"),
  CALLBACKS_APART("callbacks of one operation run in order and never overlap"),
  ONE_EVALUATION(
      "evaluations that take time run one after another: one when the request is held, one for each"
          + " signal, one for all signals during an evaluation, and none for a timeout"),
  NEVER_EARLY("no operation times out before its timeout has passed"),
  NOT_LATE("an operation that is due when the clock advances ends once its executor is free"),
  EXACT_COUNT("pending() and the size of the timer are the number of operations held"),
  RELEASED("no list and no wheel refers to an operation that has ended"),
  KEPT("a future that is done refers to nothing but its answer"),
  FAILURES_STAY_APART("an exception from a callback is reported once and affects nothing else"),
  CONSERVED("a value that a condition takes is delivered, or given back, once"),
  ORDER(
      "what is due together fires by deadline, then in the order in which it was scheduled, by"
          + " whichever threads"),
  NO_LOCK_HELD(
      "user code never runs while a lock of the purgatory or the timer is held, nor in a call that"
          + " is allowed under any lock"),
  SOUND_LINKS("the links of wheels and lists are consistent, and each entry is in its place"),
  NO_OVERSLEEP("the clock never sleeps beyond the earliest deadline"),
  RETURN_VALUES("each call returns what it did, and at most one reports the end of an operation"),
  CLOSED_FOR_GOOD(
      "after close(), every operation has ended, none is accepted, no callback runs, and no scope"
          + " refers to the purgatory"),
  PROGRESS("everything ends once faults stop and time passes"),
  RETAINED(
      "the timer and the lists retain less than twice what is pending plus a constant, and only a"
          + " constant one second after nothing is pending"),
  CLEAN_THREADS(
      "callbacks begin without an interrupt flag, and on the library's threads without thread-locals"
          + " of a caller"),
  CLOSE_IN_TIME("close(Duration) returns within its time and interrupts nothing, whatever blocks"),
  SHORT_TEXT("messages have a bounded length, and no control characters"),
  THREADS("a purgatory has few threads, and none shortly after its last task"),
  OWN_STEPS("closing a purgatory does not visit what others have in its timer"),
  STACK_DEPTH("the depth of the stack in a callback is bounded"),
  DETERMINISM("the same seed yields the same trace");

  private final String meaning;

  Invariant(String meaning) {
    this.meaning = meaning;
  }

  /** Returns what holds. */
  public String meaning() {
    return meaning;
  }
}
