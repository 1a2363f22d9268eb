package dev.purgatory.checker;

/**
 * A step of a {@link RequestProgram}.
 *
 * @param what what it does
 * @param which the number of the plan, the purgatory or the scope
 * @param key the number of the key, or of the key set
 * @param amount a number, a count or a time, depending on the step
 */
record RequestStep(What what, int which, int key, long amount) {

  /** What a step does. */
  enum What {
    HOLD,
    SET_READY,
    UNSET_READY,
    COMPLETE,
    FAIL,
    CANCEL,
    RESCHEDULE,
    SIGNAL,
    SIGNAL_WITH_REASON,
    SIGNAL_AT_MOST,
    COMPLETE_FOR_KEY,
    FAIL_FOR_KEY,
    CANCEL_FOR_KEY,
    ADVANCE,
    REMOVE_NUMBER,
    OPEN_SCOPE,
    CLOSE_SCOPE,
    FAIL_SCOPE,
    OPEN_KEY_SET,
    CLOSE_KEY_SET,
    MARK,
    RUN_QUEUE,
    MARK_LATER,
    RUN_TASKS,
    PASS,
    RECONFIGURE,
    PURGE,
    CANCEL_ALL,
    CLOSE
  }

  @Override
  public String toString() {
    return what + "(" + which + ", " + key + ", " + amount + ")";
  }
}
