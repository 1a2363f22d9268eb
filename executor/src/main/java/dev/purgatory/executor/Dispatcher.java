package dev.purgatory.executor;

import dev.purgatory.threads.TimerInternals;
import dev.purgatory.timer.Timer;
import dev.purgatory.wheel.WheelTimer;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Brings listed tasks to the threads that run them. Thread-safe. */
final class Dispatcher {

  /*
   * A task with a delay waits in the wheels until shortly before its deadline, also if that has passed: so
   * delayed tasks stay in order when the clock is late. Then it is added to the workers, which take it at its
   * deadline. These are the threads of the executor. Or there is a single one, which hands tasks over to
   * another executor: that may block, run the task at once, or create a thread with a factory of the user,
   * so the clock of a shared timer does not call it. A task without a delay is handed over to another
   * executor by the thread that submits it, which gets the exception if it is refused.
   *
   * A periodic task must not end because there is no memory for its next wait. Then it waits for that among the
   * workers, which need none. Such a task is on the list already, so a shutdown finds it there.
   *
   * A caller who drives the clock decides when tasks are due. So they do not leave the wheels ahead of
   * time, and are handed over to another executor on the thread of that caller, without workers.
   */

  private static final long AHEAD_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final WheelTimer wheels;
  private final boolean ownsTimer;
  private final long aheadNanos;
  private final @Nullable Executor other;
  final @Nullable Workers workers;
  private final BiConsumer<WheelTask<?>, Throwable> refused;

  /**
   * Creates a dispatcher.
   *
   * @param ownsTimer whether the timer has no thread, and the workers are to drive it
   * @param other runs the tasks; null if the workers do
   * @param refused gets the due tasks that the other executor refuses
   */
  Dispatcher(
      TaskList tasks,
      Timer timer,
      boolean ownsTimer,
      @Nullable Executor other,
      int threads,
      ThreadFactory factory,
      long idleNanos,
      BiConsumer<WheelTask<?>, Throwable> refused) {
    this.wheels = TimerInternals.of(timer).wheels();
    this.ownsTimer = ownsTimer;
    this.other = other;
    this.refused = refused;
    boolean callerDrives = !ownsTimer && !timer.hasThread();
    aheadNanos = callerDrives ? 0 : AHEAD_NANOS;
    workers =
        callerDrives && other != null
            ? null
            : new Workers(timer, ownsTimer, threads, factory, idleNanos, tasks::size, this::workOn);
  }

  /**
   * Dispatches a waiting task that has no delay.
   *
   * @throws RejectedExecutionException if there is no thread for it; any exception of the other
   *     executor or of the factory of threads is thrown, too
   */
  void dispatchNow(WheelTask<?> task) {
    if (other == null) {
      ensureStarted();
      enqueue(task);
    } else if (task.move(WheelTask.WAITING, WheelTask.HANDED)) {
      try {
        other.execute(task);
      } catch (Throwable e) {
        if (task.move(WheelTask.HANDED, WheelTask.WAITING)) { // else it has run
          throw e;
        }
      }
    }
  }

  /** Returns when a task with this deadline leaves the wheels. It may have passed. */
  long dueInWheels(long deadline) {
    return Math.max(0, deadline - aheadNanos);
  }

  /**
   * Dispatches a waiting task when the wait for its deadline is over.
   *
   * @param now a recent time on the clock of the timer
   * @throws RejectedExecutionException if the timer is closed, or there is no thread for the task
   */
  void dispatchLater(WheelTask<?> task, long now) {
    try {
      wheels.schedule(task, now);
    } catch (IllegalStateException e) {
      throw new RejectedExecutionException(e);
    } catch (OutOfMemoryError e) {
      if (workers == null || !task.isPeriodic()) {
        throw e;
      }
      wheels.cancel(task); // it may be in no wheel, although its wait has begun
      enqueue(task);
    }
    if (task.isPeriodic() && task.isDone()) {
      wheels.cancel(task); // it was cancelled before the wait began
    }
    ensureStarted(); // a factory may shut the executor down, so the task is in its place
    if (ownsTimer && workers != null) {
      workers.wakeBy(task.due());
    }
  }

  /** Called by the timer. Never blocks if there are workers. */
  void due(WheelTask<?> task) {
    if (workers == null) {
      handOver(task, WheelTask.WAITING);
    } else {
      enqueue(task);
    }
  }

  /** Does not fail: see {@link TaskQueue}. */
  private void enqueue(WheelTask<?> task) {
    if (workers != null && task.move(WheelTask.WAITING, WheelTask.QUEUED)) {
      workers.add(task);
    }
  }

  private void ensureStarted() {
    if (workers != null) {
      try {
        workers.ensureStarted();
      } catch (IllegalStateException e) {
        throw new RejectedExecutionException(e);
      }
    }
  }

  /** Called by a worker. Does nothing if the task was cancelled. */
  private void workOn(WheelTask<?> task) {
    if (other != null) {
      handOver(task, WheelTask.QUEUED);
    } else if (task.move(WheelTask.QUEUED, WheelTask.HANDED)) {
      task.run();
    }
  }

  private void handOver(WheelTask<?> task, int from) {
    if (other == null || !task.move(from, WheelTask.HANDED)) {
      return;
    }
    try {
      other.execute(task);
    } catch (Throwable e) {
      refused.accept(task, e);
    }
  }

  /** Counts a task that was cancelled after it was given to the workers. */
  void countCancelled() {
    if (workers != null) {
      workers.countCancelled();
    }
  }

  /**
   * Ends the workers, when there are no tasks. One that hands over may still be held up with an
   * ended one.
   */
  void close() {
    if (workers != null) {
      workers.close(other != null);
    }
  }
}
