package dev.purgatory.threads;

import dev.purgatory.base.ForeignCode;
import dev.purgatory.base.LastResort;
import dev.purgatory.wheel.TaskEntry;
import dev.purgatory.wheel.TaskEntry.Alarm;
import dev.purgatory.wheel.WheelTimer;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs tasks on an executor of the user, or else on a helper thread. Each task runs once, whatever
 * the executor does with it. Thread-safe.
 */
public final class Dispatcher {

  /*
   * An executor may reject a task, run it on the calling thread, run it twice or late, or drop it: a pool
   * that is shut down with `shutdownNow` drops what is queued. So a task is handed over as an object that
   * lets the first run begin. If it has not begun when `execute` returns, an alarm is set, and at the alarm
   * it is handed over again. By then a pool that was shut down rejects it. The third hand-over that is in
   * vain is the last one, and a helper thread runs the task: a queue that has begun nothing for
   * seconds is as good as lost. It does not do so at once, because users rely on the threads of their
   * executor, which may only be slow.
   *
   * A rejected task runs on a helper thread. So does a task without an executor, but on a timer whose
   * clock the caller drives, it runs as an entry of the timer: a test that moves the time finds that it
   * has run.
   *
   * The thread of a timer must not call an executor, which may block. It hands over to a helper
   * thread. A caller that drives the clock calls the executor by itself.
   */

  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int MOST_HANDOVERS = 3;

  private static final LastResort NOT_HANDED_OVER =
      LastResort.handler("A task could not be handed over");
  private static final LastResort ON_THE_CLOCK =
      LastResort.handler("A task runs on the thread of the clock");
  private static final LastResort NOT_STARTED = LastResort.handler("A thread could not be started");
  private static final LastResort NOT_TOLD =
      LastResort.handler("The failure of an executor could not be reported");
  private static final LastResort NOT_NOTICED =
      LastResort.handler("A task that is dropped will not be noticed");

  /** The most threads of the library, if some block. */
  private static final int MOST = 4;

  private final WheelTimer timer;
  private final @Nullable Executor executor;
  private final Lane lane;
  private final Consumer<Throwable> onFailure;

  /**
   * Creates a dispatcher.
   *
   * @param internals the clock, which notices tasks that were dropped, and the helper threads
   * @param executor runs the tasks; null for a helper thread
   * @param threadName the name of a helper thread while it runs them
   * @param onFailure called if the executor fails, on a thread that holds no lock of the caller
   */
  public Dispatcher(
      TimerInternals internals,
      @Nullable Executor executor,
      String threadName,
      Consumer<Throwable> onFailure) {
    this.timer = internals.wheels();
    this.executor = executor;
    this.lane = internals.helpers().lane(threadName, MOST);
    this.onFailure = onFailure;
  }

  /**
   * Runs a task.
   *
   * @param task does not throw
   * @return false if neither the executor nor a thread accepts the task, which then never runs
   */
  public boolean execute(Runnable task) {
    try {
      if (executor != null) {
        return new Handover(executor, task).submit();
      }
      if (!timer.hasThread() && scheduled(task)) {
        return true;
      }
    } catch (Throwable e) { // nobody has the task
      NOT_HANDED_OVER.accept(e);
    }
    return accepted(task);
  }

  /**
   * Runs a task, for the thread that advances the clock.
   *
   * @param task does not throw
   */
  public void executeFromClock(Runnable task) {
    boolean isHandedOver = false;
    try {
      isHandedOver = timer.hasThread() && accepted(() -> runOnExecutor(task));
    } catch (OutOfMemoryError e) {
      ON_THE_CLOCK.accept(e);
    }
    if (!isHandedOver) {
      runOnExecutor(task);
    }
  }

  private void runOnExecutor(Runnable task) {
    if (executor == null || !execute(task)) {
      task.run();
    }
  }

  private boolean scheduled(Runnable task) {
    long now = timer.now();
    return timer.trySchedule(new TaskEntry(now, task), now);
  }

  private boolean accepted(Runnable task) {
    try {
      lane.execute(task);
      return true;
    } catch (Throwable e) {
      NOT_STARTED.accept(e);
      return false;
    }
  }

  private final class Handover implements Runnable {
    private final Executor executor;
    private final Runnable task;
    private final AtomicBoolean begun = new AtomicBoolean();
    private volatile @Nullable Throwable failure;
    private volatile @Nullable Alarm alarm;

    /** Written by one thread at a time: each alarm is set after the former one has fired. */
    private int handovers;

    Handover(Executor executor, Runnable task) {
      this.executor = executor;
      this.task = task;
    }

    @Override
    public void run() {
      Throwable failed = failure;
      failure = null;
      if (failed != null) {
        ForeignCode.call(onFailure, failed, NOT_TOLD);
      }
      if (begun.compareAndSet(false, true)) {
        clear(alarm);
        task.run();
      }
    }

    /** Returns false if nobody accepts the task, which then never runs. Does not throw. */
    boolean submit() {
      boolean interrupted = ForeignCode.enter();
      try {
        executor.execute(this);
      } catch (Throwable e) {
        failure = e; // told by a helper thread: the caller may hold locks
        return accepted(this) || !begun.compareAndSet(false, true);
      } finally {
        ForeignCode.leave(interrupted);
      }
      if (!begun.get()) {
        setAlarm();
      }
      return true;
    }

    private void setAlarm() {
      try {
        long now = timer.now();
        Alarm next =
            new Alarm(WheelTimer.deadline(now, PATIENCE_NANOS << handovers++), this::overdue);
        alarm = next;
        timer.trySchedule(next, now);
        if (begun.get()) { // the thread that began may have seen the former alarm
          clear(next);
        }
      } catch (Throwable e) {
        NOT_NOTICED.accept(e);
      }
    }

    private void clear(@Nullable Alarm last) {
      if (last != null) {
        last.clear();
        timer.cancel(last);
      }
    }

    /** Called by the timer. */
    private void overdue() {
      if (!timer.hasThread() || !accepted(this::again)) {
        again();
      }
    }

    private void again() {
      if (begun.get()) {
        return;
      }
      if (handovers == MOST_HANDOVERS) {
        run();
      } else if (!submit()) {
        task.run();
      }
    }
  }
}
