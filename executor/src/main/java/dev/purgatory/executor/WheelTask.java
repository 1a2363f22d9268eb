package dev.purgatory.executor;

import dev.purgatory.base.Headroom;
import dev.purgatory.wheel.TimerEntry;
import dev.purgatory.wheel.WheelTimer;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A task of a {@link WheelScheduledExecutor}, and its future. Thread-safe. */
class WheelTask<V extends @Nullable Object> extends FutureTask<V>
    implements RunnableScheduledFuture<V> {

  /*
   * FutureTask decides between result, exception and cancellation, and clears the user's object when the
   * task ends. The stage says where the task is; TaskList guards it. So a task runs only when it is due,
   * once for each time it is handed over, whatever the executor does with it.
   *
   * Each wait for a deadline is an entry of its own in the wheels. It stays there until it is swept, while users
   * may keep the task, so these are two objects, and an entry that has ended does not refer to the task.
   */

  /** An entry in the wheels. */
  static final class Wait extends TimerEntry {

    /** Cleared only by the thread that ended the wait. */
    private @Nullable WheelTask<?> task;

    Wait(WheelTask<?> task, long due) {
      super(due);
      this.task = task;
    }

    /** Returns whether the first wait never began. */
    boolean isNew() {
      return state() == 0;
    }

    /** Returns the task, if it waits and is one of this executor. A racy read: perhaps too late. */
    @Nullable WheelTask<?> taskOf(WheelScheduledExecutor executor) {
      WheelTask<?> waiting = task;
      return waiting != null && waiting.executor == executor ? waiting : null;
    }

    /** Prepares the next wait of a periodic task. */
    void prepare(WheelTask<?> next, long due) {
      task = next;
      rearm(due);
    }

    boolean cancel(WheelTimer wheels) {
      if (!wheels.cancel(this)) {
        return false;
      }
      task = null;
      return true;
    }

    @Override
    public void onTimeout() {
      WheelTask<?> due = task;
      task = null;
      if (due != null) {
        due.executor.due(due);
      }
    }
  }

  /** Where a task is. A periodic task returns from RUNNING to WAITING. */
  enum Stage {
    /** Not listed yet: waits for its only run in the wheels, or for its dispatch. */
    NEW,
    /** Waits in the wheels for its next run, or is about to be queued or handed over. */
    WAITING,
    /** Waits among the workers, or is about to. */
    QUEUED,
    /** Handed over to the executor, or about to be. */
    HANDED,
    /** On a thread. A cancelled task stays in this stage until it returns. */
    RUNNING,
    /** No longer in the list. */
    ENDED;

    /** Returns whether a listed task waits for a run. */
    boolean isBeforeRun() {
      return this == WAITING || this == QUEUED || this == HANDED;
    }
  }

  // Guarded by the lock of its TaskList.
  Stage stage = Stage.NEW;
  @Nullable WheelTask<?> previous;
  @Nullable WheelTask<?> next;
  @Nullable Thread runner;
  int interrupters; // threads that are about to interrupt the runner

  /** Set before the task is dispatched. */
  long sequence;

  /** Null if the task has no delay and runs once. */
  final @Nullable Wait wait;

  private final WheelScheduledExecutor executor;

  /** Nanoseconds: positive for a fixed rate, negative for a fixed delay, 0 for a single run. */
  private final long period;

  /** On the clock of the timer. Changes only between two runs. */
  private volatile long deadline;

  /** Whether somebody interrupted the thread on behalf of this task. */
  private volatile boolean interrupted;

  WheelTask(
      WheelScheduledExecutor executor,
      Callable<V> callable,
      long deadline,
      long period,
      boolean waits) {
    super(callable);
    this.executor = executor;
    this.deadline = deadline;
    this.period = period;
    this.wait = waits ? new Wait(this, executor.dueInWheels(deadline)) : null;
  }

  /** Requires the lock of its TaskList. */
  final boolean isRunning() {
    return stage == Stage.RUNNING;
  }

  final long deadline() {
    return deadline;
  }

  @Override
  public final boolean isPeriodic() {
    return period != 0;
  }

  /** Moves the deadline to that of the next run. */
  final void moveOn(long now) {
    deadline =
        period > 0 ? WheelTimer.deadline(deadline, period) : WheelTimer.deadline(now, -period);
  }

  /** Runs the task if it is due; otherwise does nothing. */
  @Override
  public final void run() {
    if (!executor.begin(this)) {
      return;
    }
    boolean again = false;
    try {
      if (isPeriodic()) {
        again = runAndReset();
      } else {
        super.run();
      }
    } finally {
      executor.end(this, again);
    }
  }

  /** Ends the task with an exception, unless it has ended. */
  final void fail(Throwable cause) {
    setException(cause);
  }

  @Override
  public final boolean cancel(boolean mayInterruptIfRunning) {
    Headroom.ensure();
    if (mayInterruptIfRunning) {
      interrupted = true;
    }
    return super.cancel(mayInterruptIfRunning);
  }

  final void interrupt(Thread thread) {
    interrupted = true;
    thread.interrupt();
  }

  /** Clears an interrupt that was meant for this task, so that the next one does not get it. */
  final void clearInterrupt() {
    if (interrupted) {
      boolean unused = Thread.interrupted();
    }
  }

  @Override
  protected void done() {
    executor.ended(this);
  }

  @Override
  public final long getDelay(TimeUnit unit) {
    return unit.convert(deadline - executor.now(), TimeUnit.NANOSECONDS);
  }

  /** Compares the deadlines. If they are equal, the task that was submitted first is less. */
  @Override
  public final int compareTo(Delayed other) {
    if (other == this) {
      return 0;
    }
    if (other instanceof WheelTask<?> task && task.executor == executor) {
      int order = Long.compare(deadline, task.deadline);
      return order == 0 ? Long.compare(sequence, task.sequence) : order;
    }
    return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
  }
}
