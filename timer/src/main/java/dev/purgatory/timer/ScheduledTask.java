package dev.purgatory.timer;

import dev.purgatory.base.FlightEvents;
import dev.purgatory.base.Headroom;
import dev.purgatory.wheel.MovableDeadline;
import dev.purgatory.wheel.TimerEntry;
import dev.purgatory.wheel.WheelTimer;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The {@link Timeout} of a user's task. Releases the task when the wait ends. Thread-safe. */
final class ScheduledTask extends TimerEntry implements Timeout {

  /*
   * A task that is never rescheduled pays nothing for it: the object has 40 bytes, and cancelling is one
   * compare-and-set. The first call of `reschedule` puts a movable deadline in place of the task, and then
   * sets MOVABLE if the wait is still pending. From then on, the movable deadline decides, and this object
   * is only an entry in the wheels. If the wait ends before the flag is set, the movable deadline was
   * never moved: so it is due with this entry.
   */

  /** The task has a movable deadline. Set at most once, while the wait is pending. */
  private static final int MOVABLE = 1 << BITS;

  private static final VarHandle TASK;

  static {
    try {
      TASK = MethodHandles.lookup().findVarHandle(ScheduledTask.class, "task", Object.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final WheelTimer timer;

  /**
   * The user's task, or a {@link MovableDeadline} that has it. Cleared only by the thread that
   * ended the wait.
   */
  private @Nullable Object task;

  ScheduledTask(WheelTimer timer, Runnable task, long deadline) {
    super(deadline);
    this.timer = timer;
    this.task = task;
  }

  @Override
  public boolean cancel() {
    Headroom.ensure();
    boolean isEnded = timer.cancel(this);
    if ((state() & MOVABLE) != 0) { // it was set before the entry ended, or never
      return movable().cancel();
    }
    if (isEnded) {
      task = null;
    }
    return isEnded;
  }

  @Override
  public boolean reschedule(Duration delay) {
    Headroom.ensure();
    if (timer.isClosed()) {
      throw WheelTimer.closedException();
    }
    long deadline = Timer.deadline(timer.now(), delay);
    return makeMovable() && movable().moveTo(deadline);
  }

  private boolean makeMovable() {
    for (int now; ((now = state()) & MOVABLE) == 0; ) {
      if ((now & SCHEDULED) == 0) {
        return false;
      }
      if (task instanceof Runnable original) { // a racy read, which the next line verifies
        TASK.compareAndSet(this, original, new MovableDeadline(timer, original, this));
      }
      casState(now, now | MOVABLE);
    }
    return true;
  }

  private MovableDeadline movable() {
    return (MovableDeadline) TASK.getAcquire(this);
  }

  @Override
  public boolean isPending() {
    return (state() & MOVABLE) == 0 ? isScheduled() : movable().isPending();
  }

  @Override
  public long deadline() {
    return (state() & MOVABLE) == 0 ? due() : movable().deadline();
  }

  @Override
  public void onTimeout() {
    Object waiting = task;
    if (waiting instanceof MovableDeadline movable) {
      movable.onDue(this);
    } else if (waiting instanceof Runnable due) {
      task = null;
      FlightEvents.run(due);
    }
  }

  @Override
  public String toString() {
    return (isPending() ? "pending" : "ended") + " timeout, deadline " + deadline() + " ns";
  }
}
