package dev.purgatory.executor;

import dev.purgatory.timer.Timeout;
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
   */

  /** Where a task is. A periodic task returns from RUNNING to WAITING. */
  enum Stage {
    /** Not in the list yet. */
    NEW,
    /** Waits in the wheels. */
    WAITING,
    /** Waits among the workers, or is about to. */
    QUEUED,
    /** Handed over to the executor, or about to be. */
    HANDED,
    /** On a thread. A cancelled task stays in this stage until it returns. */
    RUNNING,
    /** No longer in the list. */
    ENDED;

    /** Returns whether a task waits for a run. */
    boolean isBeforeRun() {
      return this == WAITING || this == QUEUED || this == HANDED;
    }
  }

  // Guarded by the lock of its TaskList.
  Stage stage = Stage.NEW;
  @Nullable WheelTask<?> previous;
  @Nullable WheelTask<?> next;
  @Nullable Timeout timeout;
  @Nullable Thread runner;
  int interrupters; // threads that are about to interrupt the runner

  final long sequence;
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
      long sequence) {
    super(callable);
    this.executor = executor;
    this.deadline = deadline;
    this.period = period;
    this.sequence = sequence;
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
    deadline = period > 0 ? sum(deadline, period) : sum(now, -period);
  }

  /** Returns the sum of two numbers of zero or more, or the largest number if it overflows. */
  static long sum(long time, long delay) {
    long sum = time + delay;
    return sum < 0 ? Long.MAX_VALUE : sum;
  }

  /** Called by the timer. */
  final void onDeadline() {
    executor.due(this);
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
