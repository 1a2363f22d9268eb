package dev.purgatory.wheel;

import dev.purgatory.base.FlightEvents;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * A wait in a timer whose deadline can be moved in both directions until it is reached. The
 * callback runs once, at the last deadline or later, or the wait is cancelled. Thread-safe.
 */
public final class MovableDeadline extends Retry {

  /*
   * `target` decides: it is the deadline, 0 or more, while the wait is pending, and the complement of the
   * last deadline once the wait has ended. Moving, cancelling and firing each change it by one
   * compare-and-set. So after a move that succeeded, nothing fires before the new deadline.
   *
   * `armed` is the entry in the wheels that stands for the wait. It is due at the target or before. Moving
   * to a later time leaves it alone: when it fires too early, the clock's thread puts the same entry back
   * with the new deadline, or in place of the entry that was handed in, the `spare` one. So the clock's thread
   * makes no entry, and the deadline of the entry that was handed in never changes. Moving to an earlier time
   * replaces it by a new entry and cancels it; the timer removes it like any cancelled entry.
   *
   * No lock keeps the two fields together. Instead, each thread that changes `armed` or schedules an entry
   * reads both fields again afterwards, and each thread that changes one of them then looks at the entry:
   *
   * - A mover writes the target, then reads whether the entry is scheduled. The clock's thread ends the
   *   entry, then reads the target. So an entry that still looks scheduled fires with the new target, and
   *   one that fires already is replaced.
   * - A canceller writes the target, then cancels the entry. A thread that schedules an entry then reads
   *   the target and `armed`. So one of the two cancels it.
   *
   * Without memory to put an entry back, the clock tries again: see Retry.
   *
   * A mover schedules a new entry before it replaces the former one, so nothing has changed if that fails.
   * If the new entry fires before it is `armed`, the mover finds that, and schedules another.
   *
   * An entry that is no longer `armed` may still fire once. It runs the callback if the target was
   * reached, and does nothing otherwise.
   */

  // Not VarHandles: the first use of one takes memory, and a deadline is reached without.
  private static final AtomicLongFieldUpdater<MovableDeadline> TARGET =
      AtomicLongFieldUpdater.newUpdater(MovableDeadline.class, "target");
  private static final AtomicReferenceFieldUpdater<MovableDeadline, TimerEntry> ARMED =
      AtomicReferenceFieldUpdater.newUpdater(MovableDeadline.class, TimerEntry.class, "armed");

  /** An entry whose timeout is that of a movable deadline. */
  private static final class Arm extends TimerEntry {
    private final MovableDeadline owner;

    Arm(MovableDeadline owner, long deadline) {
      super(deadline);
      this.owner = owner;
    }

    @Override
    public void onTimeout() {
      owner.onDue(this);
    }
  }

  /** Cleared only by the thread that ended the wait. */
  private @Nullable Runnable callback;

  private volatile long target;
  private volatile TimerEntry armed;

  /** Takes the place of the entry that was handed in, when that has fired. */
  private final Arm spare;

  /**
   * Makes the deadline of an entry movable.
   *
   * @param timer the timer of the entry
   * @param callback runs on the thread that advances the clock
   * @param entry is scheduled or will be. Its {@code onTimeout} calls {@link #onDue}
   */
  public MovableDeadline(WheelTimer timer, Runnable callback, TimerEntry entry) {
    super(timer);
    this.callback = callback;
    this.target = Math.max(0, entry.due());
    this.armed = entry;
    this.spare = new Arm(this, target);
  }

  /**
   * Moves the deadline. On a closed timer, the callback never runs.
   *
   * @param nanos the new deadline on the timer's clock. If that is in the past, the callback is due
   *     at once
   * @return true if the wait was pending and ends at the new deadline; false if the callback has
   *     run, is about to run, or was cancelled
   */
  public boolean moveTo(long nanos) {
    long next = Math.max(0, nanos);
    long former;
    do {
      former = target;
      if (former < 0) {
        return false;
      }
    } while (!TARGET.compareAndSet(this, former, next));
    if (next < former) {
      try {
        armEarlier();
      } catch (Throwable e) { // no memory or no thread: the deadline stays what it was
        if (!TARGET.compareAndSet(this, next, former)) {
          later(); // another mover relied on the entry that was not made
        }
        throw e;
      }
    }
    return true;
  }

  /** Replaces the entry unless it fires at the target or before. */
  private void armEarlier() {
    for (long wanted; (wanted = target) >= 0; ) {
      TimerEntry former = armed;
      if (former.isScheduled() && former.due() <= wanted) { // in this order, see rearm()
        return;
      }
      Arm next = new Arm(this, wanted);
      if (!timer.trySchedule(next, timer.now())) { // may fail, so before the entry is replaced
        return;
      }
      boolean replaced = ARMED.compareAndSet(this, former, next);
      timer.cancel(replaced ? former : next);
    }
    timer.cancel(armed); // the wait was cancelled in between
  }

  /**
   * Fires, or waits on for a deadline that was moved to a later time.
   *
   * @param entry has fired on this thread
   */
  public void onDue(TimerEntry entry) {
    long now = Math.max(0, entry.due());
    long wanted;
    do {
      wanted = target;
      if (wanted < 0) {
        return;
      }
      if (wanted > now) {
        waitOn(entry, now, wanted);
        return;
      }
    } while (!TARGET.compareAndSet(this, wanted, ~wanted));
    Runnable due = callback;
    callback = null;
    if (due != null) {
      FlightEvents.run(due);
    }
  }

  private void waitOn(TimerEntry entry, long now, long wanted) {
    TimerEntry next = entry instanceof Arm ? entry : spare;
    if (ARMED.compareAndSet(this, entry, next)) { // else another one fires at the target
      entry.rearm(entry.due()); // so it does not count as one that has fired
      next.rearm(wanted);
      try {
        timer.trySchedule(next, now);
      } catch (OutOfMemoryError e) {
        later();
        throw e;
      }
      if (armed != next || target < 0) {
        timer.cancel(next); // it was replaced, or the wait cancelled
      }
    }
  }

  /** Schedules what found no memory, unless the wait has ended. */
  @Override
  protected void look() {
    armEarlier();
  }

  /**
   * Cancels the wait.
   *
   * @return true if this call cancelled it, and the callback will never run
   */
  public boolean cancel() {
    long former;
    do {
      former = target;
      if (former < 0) {
        return false;
      }
    } while (!TARGET.compareAndSet(this, former, ~former));
    callback = null;
    timer.cancel(armed);
    return true;
  }

  /**
   * Returns whether the wait is pending.
   *
   * @return false once the callback runs or was cancelled
   */
  public boolean isPending() {
    return target >= 0;
  }

  /**
   * Returns the time at which the wait ends or would have ended.
   *
   * @return nanoseconds on the timer's clock, 0 or more
   */
  public long deadline() {
    long now = target;
    return now < 0 ? ~now : now;
  }
}
