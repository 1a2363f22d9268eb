package dev.purgatory.wheel;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Comparator;

/**
 * An entry of timing wheels: a wait for a deadline, which fires or is cancelled. Only the library
 * extends this class. Its subclasses clear their reference to the user's object when the wait ends,
 * so that the object is not reachable from a wheel afterwards.
 */
public abstract class TimerEntry {

  /*
   * An ended entry stays in its bucket until it is swept, so ending it takes no lock.
   *
   * A subclass shares the state word: an operation can end together with its wait, in one step. The timer
   * uses the two lowest bits, a subclass the others.
   */

  /** The wait has begun and not ended. The lowest bit, for branchless loops. */
  protected static final int SCHEDULED = 1;

  /** The wait has begun. It can begin only once, until {@link #rearm}. */
  protected static final int BEGUN = 2;

  /** The number of bits that the timer uses. */
  protected static final int BITS = 2;

  /** The order in which due entries fire. */
  static final Comparator<TimerEntry> IN_ORDER =
      (one, other) ->
          one.deadline == other.deadline
              ? Long.compare(one.number, other.number)
              : Long.compare(one.deadline, other.deadline);

  private static final VarHandle STATE;

  static {
    try {
      STATE = MethodHandles.lookup().findVarHandle(TimerEntry.class, "state", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  // Set before the entry is in the wheels, whose lock publishes them.
  private long deadline;

  /** Orders entries with the same deadline. */
  long number;

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
   * Called once when the entry is due, on the thread that advances the clock, without a lock. Its
   * exceptions go to the timer's error handler.
   */
  public abstract void onTimeout();

  /**
   * Returns the time at which the timer fires the entry.
   *
   * @return nanoseconds on the clock of its timer; exact while the entry is scheduled
   */
  public final long due() {
    return deadline;
  }

  /**
   * Returns the time at which the wait ends. That is {@link #due}, unless a subclass moves its
   * deadline.
   *
   * @return nanoseconds on the clock of its timer
   */
  public long deadline() {
    return deadline;
  }

  /**
   * Changes the deadline of an entry that is not scheduled yet.
   *
   * @param nanos the deadline, on the clock of its timer
   */
  protected final void deadline(long nanos) {
    deadline = nanos;
  }

  /**
   * Begins the wait.
   *
   * @return true for the first caller
   */
  public final boolean begin() {
    for (; ; ) {
      int now = state;
      if ((now & BEGUN) != 0) {
        return false;
      }
      if (casState(now, now | BEGUN | SCHEDULED)) {
        return true;
      }
    }
  }

  /**
   * Undoes {@link #begin}.
   *
   * @return false if the wait has ended
   */
  public final boolean undoBegin() {
    return leave(BEGUN | SCHEDULED);
  }

  /**
   * Prepares an entry that has fired for another wait. Only for the thread on which it fired. That
   * one then schedules it again, or, for want of memory, a {@link Retry}.
   *
   * @param nanos the next deadline, on the clock of its timer
   */
  protected final void rearm(long nanos) {
    assert !isScheduled() : "the entry waits";
    deadline = nanos;
    clearBits(BEGUN);
  }

  /** Returns whether the entry was prepared for another wait that has not begun. */
  final boolean isRearmed() {
    return (state & BEGUN) == 0;
  }

  /**
   * Ends the wait.
   *
   * @return true for the caller that ended it
   */
  public final boolean end() {
    return leave(SCHEDULED);
  }

  private boolean leave(int bits) {
    for (; ; ) {
      int now = state;
      if ((now & SCHEDULED) == 0) {
        return false;
      }
      if (casState(now, now & ~bits)) {
        return true;
      }
    }
  }

  /**
   * Returns the flag as a number, for branchless loops.
   *
   * @return 1 while the entry is scheduled, else 0
   */
  public final int scheduled() {
    return state & SCHEDULED;
  }

  /**
   * Returns whether the entry is scheduled.
   *
   * @return true between {@link #begin} and {@link #end}
   */
  public final boolean isScheduled() {
    return scheduled() != 0;
  }

  /**
   * Returns the state.
   *
   * @return the bits of the timer and of the subclass
   */
  protected final int state() {
    return state;
  }

  /**
   * Sets the bits of the subclass in an entry that no other thread knows yet.
   *
   * @param bits all that the subclass sets
   */
  protected final void initialState(int bits) {
    STATE.set(this, bits);
  }

  /**
   * Changes the state.
   *
   * @param expected the expected state
   * @param next the new state
   * @return whether the state was as expected, and has changed
   */
  protected final boolean casState(int expected, int next) {
    return STATE.compareAndSet(this, expected, next);
  }

  /**
   * Clears bits.
   *
   * @param bits the bits to clear
   */
  protected final void clearBits(int bits) {
    int unused = (int) STATE.getAndBitwiseAnd(this, ~bits);
  }

  /**
   * Sets bits of the subclass.
   *
   * @param bits the bits to set
   * @return the state before
   */
  protected final int setBits(int bits) {
    return (int) STATE.getAndBitwiseOr(this, bits);
  }
}
