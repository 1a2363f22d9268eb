package dev.purgatory.timer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * One wait for a deadline. To be extended by what is to happen then.
 *
 * <p>An entry is scheduled once: it fires, or is cancelled. A {@link Timer} may keep a reference to
 * it for a while after that. Where it is cancelled and refers to much, clear the reference.
 */
public abstract class TimerEntry {

  /*
   * The deadline is written by the thread that schedules the entry, before the entry is put into a
   * bucket under the lock of a stripe, and read under that lock. What has ended stays in its bucket
   * until somebody comes by: so ending it is one step for which no lock is needed.
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

  long deadline;
  private volatile int state;

  /** Creates an entry that is not scheduled. */
  protected TimerEntry() {}

  /**
   * Called once when the time is up, at the deadline or later, never earlier.
   *
   * <p>It runs on the thread that advances the timer's clock, and on the scheduling thread where
   * the delay is zero or less, without a lock of the timer. Time stands still for all other entries
   * meanwhile: hand over to an executor what takes longer than that. What it throws goes to the
   * timer's error handler and harms no other entry.
   */
  protected abstract void onTimeout();

  /**
   * Returns the time at which this entry is or was due.
   *
   * @return nanoseconds on the clock of its timer, {@link Timer#now()}; {@link Long#MAX_VALUE} if
   *     that is beyond what a {@code long} can say; 0 before it was scheduled
   */
  protected final long deadline() {
    return deadline;
  }

  /** Returns true to the first caller. */
  boolean begin(long at) {
    if (!STATE.compareAndSet(this, NEW, SCHEDULED)) {
      return false;
    }
    deadline = at;
    return true;
  }

  /** Undoes {@link #begin}, unless it has ended meanwhile. */
  boolean undoBegin() {
    return STATE.compareAndSet(this, SCHEDULED, NEW);
  }

  /** Returns true to the one who has ended it. */
  boolean end() {
    return state == SCHEDULED && STATE.compareAndSet(this, SCHEDULED, ENDED);
  }

  /** 1 while it is scheduled, else 0. */
  int scheduled() {
    return state & SCHEDULED;
  }

  boolean isScheduled() {
    return state == SCHEDULED;
  }
}
