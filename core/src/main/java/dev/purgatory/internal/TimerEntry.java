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
   *
   * The state is one word, which a subclass shares: an operation that ends can end its wait in the same
   * step. The two lowest bits are the timer's, the others are the subclass's.
   */

  /** The wait goes on. The lowest bit, for loops that avoid a branch. */
  protected static final int SCHEDULED = 1;

  /** The wait has begun; it can begin only once. */
  private static final int BEGUN = 2;

  /** The number of bits below those that a subclass may use. */
  protected static final int BITS = 2;

  private static final VarHandle STATE;

  static {
    try {
      STATE = MethodHandles.lookup().findVarHandle(TimerEntry.class, "state", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Set before the entry is scheduled; the lock of a bucket publishes it. */
  private long deadline;

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
   * Changes the deadline of an entry that is not scheduled yet.
   *
   * @param nanos on the clock of its timer
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
   * @return false if the wait has ended meanwhile
   */
  public final boolean undoBegin() {
    return leave(BEGUN | SCHEDULED);
  }

  /**
   * Ends the wait.
   *
   * @return true for the caller who ended it
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
    return scheduled() != 0;
  }

  /**
   * Returns the whole word.
   *
   * @return the bits of the timer and those of the subclass
   */
  protected final int state() {
    return state;
  }

  /**
   * Changes the whole word.
   *
   * @param expected what it has to be
   * @param next what it becomes
   * @return whether it was changed
   */
  protected final boolean casState(int expected, int next) {
    return STATE.compareAndSet(this, expected, next);
  }

  /**
   * Sets bits of the subclass.
   *
   * @param bits what to set
   * @return the whole word before
   */
  protected final int setBits(int bits) {
    return (int) STATE.getAndBitwiseOr(this, bits);
  }
}
