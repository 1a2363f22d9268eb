package dev.purgatory.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * What timing wheels hold: one wait for a deadline, which fires or is cancelled. Only the library
 * extends it, so that nothing that a user handed in is reachable from a wheel once the wait is
 * over: a subclass clears its reference to the user's object when it ends.
 */
public abstract class TimerEntry {

  /*
   * An entry that ends stays in its bucket until it is swept: so ending it is one step for which no
   * lock is needed.
   */

  private static final int NEW = 0;
  private static final int SCHEDULED = 1;
  private static final int ENDED = 2;

  private static final VarHandle STATE;

  static {
    try {
      STATE = MethodHandles.lookup().findVarHandle(TimerEntry.class, "state", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final long deadline;
  private volatile int state;

  /**
   * Creates an entry that is not scheduled.
   *
   * @param deadline when it is due, in nanoseconds on the clock of its timer
   */
  protected TimerEntry(long deadline) {
    this.deadline = deadline;
  }

  /**
   * Called once when the entry is due, on the thread that advances the clock, without a lock. What
   * it throws goes to the timer's error handler.
   */
  public abstract void onTimeout();

  /**
   * Returns the time at which this entry is or was due.
   *
   * @return nanoseconds on the clock of its timer
   */
  public final long deadline() {
    return deadline;
  }

  /**
   * Begins the wait.
   *
   * @return true for the first caller
   */
  public final boolean begin() {
    return STATE.compareAndSet(this, NEW, SCHEDULED);
  }

  /**
   * Undoes {@link #begin}.
   *
   * @return false if the wait has ended meanwhile
   */
  public final boolean undoBegin() {
    return STATE.compareAndSet(this, SCHEDULED, NEW);
  }

  /**
   * Ends the wait.
   *
   * @return true for the caller who ended it
   */
  public final boolean end() {
    return state == SCHEDULED && STATE.compareAndSet(this, SCHEDULED, ENDED);
  }

  /**
   * Returns a number for loops that avoid a branch.
   *
   * @return 1 while the entry is scheduled, else 0
   */
  public final int scheduled() {
    return state & SCHEDULED;
  }

  /**
   * Tells whether the wait goes on.
   *
   * @return true between {@link #begin} and {@link #end}
   */
  public final boolean isScheduled() {
    return state == SCHEDULED;
  }
}
