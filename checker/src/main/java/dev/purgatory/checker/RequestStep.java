package dev.purgatory.checker;

/**
 * A step that uses requests.
 *
 * @param what what it does
 * @param which the number of the plan, the purgatory, the scope or the thread
 * @param key the number of the key, or of the key group
 * @param amount a number, a count or a time, depending on the step
 */
record RequestStep(What what, int which, int key, long amount) implements Step<RequestRun> {

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
    FAIL_WHERE,
    CANCEL_FOR_KEY,
    END_EVALUATION,
    ADVANCE,
    REMOVE_NUMBER,
    OPEN_SCOPE,
    CLOSE_SCOPE,
    FAIL_SCOPE,
    OPEN_KEY_GROUP,
    CLOSE_KEY_GROUP,
    MARK,
    RUN_QUEUE,
    MARK_LATER,
    RUN_TASKS,
    PASS,
    SCHEDULE,
    PUT,
    RUN_EXECUTORS,
    RECONFIGURE,
    PURGE,
    CANCEL_ALL,
    CLOSE
  }

  @Override
  public void by(RequestRun run) {
    run.perform(this);
  }

  /** Returns whether this step holds a request of a plan. */
  boolean holds(RequestPlan plan, int plans) {
    return what == What.HOLD && which % plans == plan.number();
  }

  @Override
  public String toString() {
    return what + "(" + which + ", " + key + ", " + amount + ")";
  }
}
