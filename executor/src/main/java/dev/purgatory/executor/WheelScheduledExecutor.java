package dev.purgatory.executor;

import static java.util.Objects.requireNonNull;

import dev.purgatory.base.Headroom;
import dev.purgatory.base.LastResort;
import dev.purgatory.base.Threads;
import dev.purgatory.threads.TimerInternals;
import dev.purgatory.timer.Timer;
import dev.purgatory.wheel.WheelTimer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A {@link ScheduledExecutorService} on timing wheels, for very many delayed tasks. Scheduling and
 * cancelling take the same number of steps however many tasks wait, and a cancelled task is
 * unreachable at once. Thread-safe.
 *
 * <p>Tasks run on threads of the executor or on an executor of the caller, such as one of virtual
 * threads: {@link #builder}. They never run on the thread of a shared timer. A task is never early,
 * and less than one tick of the timer late while threads are free.
 *
 * <p>As with {@link java.util.concurrent.ScheduledThreadPoolExecutor}, a thread of the executor
 * takes tasks in the order of their deadlines, and for equal ones in that of their submission. An
 * executor of the caller is handed delayed tasks in this order, and tasks without a delay at once.
 * The threads stay until the executor is terminated, unless {@link Builder#keepAlive} is set.
 *
 * <p>Differences from {@code ScheduledThreadPoolExecutor}, within the specification:
 *
 * <ul>
 *   <li>Cancelled tasks are always removed, as with its {@code setRemoveOnCancelPolicy(true)}.
 *   <li>{@link #shutdownNow} cancels the tasks that it returns, so that no caller waits for them.
 *   <li>An exception of a command of {@link #execute} goes to the uncaught exception handler of its
 *       thread, because there is no future that could report it.
 * </ul>
 *
 * <p>After a pause of the process, a task with a fixed rate makes up for the executions that it has
 * missed, one after another, as the interface specifies. A task with a fixed delay runs once.
 */
public final class WheelScheduledExecutor extends AbstractExecutorService
    implements ScheduledExecutorService {

  /*
   * A new task is counted, and put into the wheels or on the list of tasks. The dispatcher brings it to a
   * thread, at once or at its deadline. The task runs, and ends, or waits again if it is periodic. So there
   * is no recursion, even if an executor of the caller runs tasks at once.
   *
   * The state of a task decides who goes on with it, and how it ends: see WheelTask. An executor that runs a
   * task twice, or throws after it has run it, changes nothing. A cancelled task that runs leaves the list
   * when it returns.
   *
   * A task is counted, and then the state is read. `shutdown` sets the state, and then looks for tasks until
   * it knows all that are counted. So at least one of them sees the other, and a task is rejected, or treated
   * as an existing one, not forgotten. The executor is terminated when it is shut down and all tasks have
   * ended. Each removal looks for that.
   *
   * `shutdownNow` sets the state, and then removes what has not begun. From then on nobody else ends such a
   * task, unless the user cancels it: it stays where it is, and is returned. So each decision about a task
   * reads the state once.
   *
   * Rejected: one timing wheel task per ScheduledThreadPoolExecutor task, which keeps its heap; tasks on
   * the clock thread, which any slow task delays; a hash set of tasks, whose table never shrinks.
   */

  private static final LastResort NOT_INTERRUPTED =
      LastResort.handler("A task was not interrupted");

  private static final int RUNNING = 0;
  private static final int SHUT_DOWN = 1;
  private static final int STOPPED = 2;

  /** How long a shutdown waits before it looks again for tasks that other threads move. */
  private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

  private final Timer timer;
  private final boolean ownsTimer;
  final Dispatcher dispatcher;
  final TaskList tasks;
  private final AtomicLong refused = new AtomicLong();
  private final AtomicInteger state = new AtomicInteger(RUNNING);
  private final AtomicBoolean terminating = new AtomicBoolean();
  private final CountDownLatch terminated = new CountDownLatch(1);
  private volatile boolean continuesPeriodic;
  private volatile boolean executesDelayed = true;

  /**
   * Creates an executor with threads and a timer of its own.
   *
   * @param threads the maximum number of threads that run tasks, 1 or more
   * @param threadFactory creates these threads
   * @throws IllegalArgumentException if {@code threads} is less than 1
   * @throws IllegalStateException if the factory returns null or a started thread
   */
  public WheelScheduledExecutor(int threads, ThreadFactory threadFactory) {
    this(builder().threads(threads).threadFactory(threadFactory));
  }

  private WheelScheduledExecutor(Builder builder) {
    ownsTimer = builder.timer == null;
    timer = builder.timer == null ? Timer.builder().build() : builder.timer;
    tasks = new TaskList(TimerInternals.of(timer).wheels());
    Executor other = builder.executor;
    dispatcher =
        new Dispatcher(
            tasks,
            timer,
            ownsTimer,
            other,
            other == null ? builder.threads : 1,
            builder.factory(other),
            builder.idleNanos(other),
            this::refused);
  }

  /**
   * Returns a builder of executors, set to one thread and a timer of its own.
   *
   * @return a new builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns the time on the clock of the timer. */
  long now() {
    return timer.now();
  }

  /**
   * Runs a command on a thread of the executor. Its exceptions go to the uncaught exception handler
   * of the thread.
   *
   * @throws RejectedExecutionException if this is shut down, or the executor that runs tasks
   *     rejects the command
   */
  @Override
  public void execute(Runnable command) {
    requireNonNull(command, "command");
    long now = now();
    accept(new Command(this, command, now), false, now);
  }

  @Override
  public Future<?> submit(Runnable task) {
    return schedule(task, 0, TimeUnit.NANOSECONDS);
  }

  @Override
  public <T extends @Nullable Object> Future<T> submit(Runnable task, T result) {
    return schedule(Executors.callable(task, result), 0, TimeUnit.NANOSECONDS);
  }

  @Override
  public <T extends @Nullable Object> Future<T> submit(Callable<T> task) {
    return schedule(task, 0, TimeUnit.NANOSECONDS);
  }

  /**
   * {@inheritDoc}
   *
   * @throws RejectedExecutionException if this is shut down, the timer is closed, or the delay is
   *     zero or less and the executor that runs tasks rejects the command
   */
  @Override
  public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
    return schedule(requireNonNull(command, "command"), 0, unit.toNanos(delay));
  }

  /**
   * {@inheritDoc}
   *
   * @throws RejectedExecutionException if this is shut down, the timer is closed, or the delay is
   *     zero or less and the executor that runs tasks rejects the task
   */
  @Override
  public <V extends @Nullable Object> ScheduledFuture<V> schedule(
      Callable<V> callable, long delay, TimeUnit unit) {
    requireNonNull(callable, "callable");
    return schedule(callable, WheelTask.CALLABLE, unit.toNanos(delay));
  }

  /**
   * {@inheritDoc}
   *
   * <p>An execution that the executor refuses is skipped, and the next one is tried at its time.
   */
  @Override
  public ScheduledFuture<?> scheduleAtFixedRate(
      Runnable command, long initialDelay, long period, TimeUnit unit) {
    requireNonNull(command, "command");
    long nanos = unit.toNanos(checkPositive(period, "period"));
    return schedulePeriodic(command, unit.toNanos(initialDelay), nanos);
  }

  /**
   * {@inheritDoc}
   *
   * <p>An execution that the executor refuses is skipped, and the next one is tried after the
   * delay.
   */
  @Override
  public ScheduledFuture<?> scheduleWithFixedDelay(
      Runnable command, long initialDelay, long delay, TimeUnit unit) {
    requireNonNull(command, "command");
    long nanos = unit.toNanos(checkPositive(delay, "delay"));
    return schedulePeriodic(command, unit.toNanos(initialDelay), -nanos);
  }

  private static long checkPositive(long value, String name) {
    if (value <= 0) {
      throw new IllegalArgumentException(name + " " + value + " is not positive");
    }
    return value;
  }

  private <V extends @Nullable Object> WheelTask<V> schedule(
      Object work, int kind, long delayNanos) {
    long now = now();
    WheelTask<V> task = new WheelTask<>(this, work, WheelTimer.deadline(now, delayNanos), kind);
    accept(task, delayNanos > 0, now);
    return task;
  }

  private WheelTask<?> schedulePeriodic(Runnable command, long delayNanos, long period) {
    long now = now();
    WheelTask<?> task =
        new WheelTask.Periodic(this, command, WheelTimer.deadline(now, delayNanos), period);
    accept(task, delayNanos > 0, now);
    return task;
  }

  private void accept(WheelTask<?> task, boolean waits, long now) {
    Headroom.ensure();
    checkRunning();
    tasks.add(task, waits && !task.isPeriodic());
    try {
      checkRunning(); // again: shutdown() may have missed the task
      if (waits) {
        dispatcher.dispatchLater(task, now);
      } else {
        dispatcher.dispatchNow(task);
      }
    } catch (RuntimeException | Error e) {
      if (task.withdraw()) {
        throw e;
      }
      // Otherwise it has run, or shutdownNow() has returned it: it was accepted.
    }
  }

  private void checkRunning() {
    if (isShutdown()) {
      throw new RejectedExecutionException("the executor is shut down: " + this);
    }
  }

  /** Called when the wait of a task is over, by the thread that ended it. */
  void due(WheelTask<?> task) {
    if (task.isPeriodic() || tasks.list(task)) {
      dispatcher.due(task);
    } else {
      task.endUnlisted();
    }
  }

  private void refused(WheelTask<?> task, Throwable cause) {
    if (!task.move(WheelTask.HANDED, WheelTask.WAITING)) {
      return; // it has run, or has ended
    }
    if (isStopped()) {
      return; // shutdownNow() returns it
    }
    refused.incrementAndGet();
    if (task.isPeriodic()) {
      repeat(task);
    } else {
      task.fail(cause);
    }
  }

  /** Begins an execution on this thread. Returns false if the task must not run. */
  boolean begin(WheelTask<?> task) {
    if (isStopped()) {
      return false; // shutdownNow() returns it
    }
    if (policiesEnd(task)) {
      task.cancelBeforeRun();
      return false;
    }
    return task.move(WheelTask.HANDED, WheelTask.RUNNING);
  }

  /** Goes on with a periodic task after an execution. */
  void again(WheelTask<?> task) {
    if (isStopped()) {
      task.cancelBeforeRun(); // shutdownNow() may have seen it run
    } else {
      repeat(task);
    }
  }

  private void repeat(WheelTask<?> task) {
    if (policiesEnd(task)) {
      task.cancelBeforeRun();
      return;
    }
    try {
      long now = now();
      task.moveOn(this, now);
      dispatcher.dispatchLater(task, now);
    } catch (Throwable e) { // the timer is closed, or there is no thread or no memory
      try {
        tasks.wheels.cancel(task);
      } finally {
        task.fail(e);
      }
    }
  }

  /** Called once for each task that has ended, with the stage in which it was before. */
  void ended(int before) {
    if (before == WheelTask.QUEUED) {
      dispatcher.countCancelled();
    }
    tryTerminate();
  }

  /**
   * Returns whether the policies end a task. After {@link #shutdownNow} they end none, because that
   * returns all tasks that wait.
   */
  private boolean policiesEnd(WheelTask<?> task) {
    if (state.get() != SHUT_DOWN) {
      return false;
    }
    return task.isPeriodic() ? !continuesPeriodic : !executesDelayed && isDelayed(task);
  }

  private static boolean isDelayed(WheelTask<?> task) {
    return task.getDelay(TimeUnit.NANOSECONDS) > 0;
  }

  /**
   * Accepts no more tasks. Running and due tasks are completed. Delayed tasks still run, and
   * periodic ones are cancelled, unless the policies say otherwise. To cancel delayed tasks visits
   * all entries of a shared timer, and waits for calls of {@code schedule} that have begun.
   */
  @Override
  public void shutdown() {
    Headroom.ensure();
    state.accumulateAndGet(SHUT_DOWN, Math::max);
    applyPolicies();
  }

  private void applyPolicies() {
    if (!isShutdown()) {
      return;
    }
    applyPolicies(tasks.listed());
    while (!executesDelayed && state.get() == SHUT_DOWN && tasks.hasOthersThan(task -> true)) {
      applyPolicies(tasks.all());
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    tryTerminate();
  }

  private void applyPolicies(List<WheelTask<?>> some) {
    List<WheelTask<?>> due = new ArrayList<>();
    for (WheelTask<?> task : some) {
      if (policiesEnd(task)) {
        task.cancelBeforeRun();
      } else if (!task.isPeriodic() && !isDelayed(task)) {
        due.add(task);
      }
    }
    due.sort(WheelTask::compareTo);
    due.forEach(this::dueBeforeTheClock);
  }

  /** Takes a task out of the wheels that is due although the clock is late. */
  private void dueBeforeTheClock(WheelTask<?> task) {
    if (task.end()) {
      tasks.wheels.countEnd(task);
      due(task);
    }
  }

  /**
   * Accepts no more tasks, cancels waiting ones, and interrupts running ones. Visits all entries of
   * a shared timer, and waits for calls of {@code schedule} that have begun, so the thread factory
   * of that timer must not call this.
   *
   * @return the tasks that waited, in the order of submission: cancelled {@link ScheduledFuture}s,
   *     the ones that {@code schedule} returned
   */
  @Override
  public List<Runnable> shutdownNow() {
    Headroom.ensure();
    state.set(STOPPED);
    List<WheelTask<?>> waiting = new ArrayList<>();
    while (tasks.hasOthersThan(WheelTask::isRunning)) {
      for (WheelTask<?> task : tasks.all()) {
        if (task.cancelBeforeRun()) {
          waiting.add(task);
        }
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    tasks.listed().forEach(WheelScheduledExecutor::interrupt);
    tryTerminate();
    waiting.sort(Comparator.comparingLong(task -> task.sequence));
    return new ArrayList<>(waiting);
  }

  private static void interrupt(WheelTask<?> task) {
    try {
      task.interrupt();
    } catch (RuntimeException e) { // a thread of the user's refuses it
      NOT_INTERRUPTED.accept(e);
    }
  }

  private void tryTerminate() {
    if (isShutdown() && tasks.size() == 0 && terminating.compareAndSet(false, true)) {
      try {
        if (ownsTimer) {
          tasks.wheels.close(); // may fail, for want of memory
        }
      } finally {
        try {
          dispatcher.close();
        } finally {
          terminated.countDown();
        }
      }
    }
  }

  @Override
  public boolean isShutdown() {
    return state.get() != RUNNING;
  }

  private boolean isStopped() {
    return state.get() == STOPPED;
  }

  @Override
  public boolean isTerminated() {
    return terminated.getCount() == 0;
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
    return terminated.await(timeout, unit);
  }

  /**
   * Sets whether periodic tasks go on after {@link #shutdown}, until they are cancelled or {@link
   * #shutdownNow} is called. By default they do not. Also applies to an executor that is shut down.
   *
   * @param value true to go on
   */
  public void setContinueExistingPeriodicTasksAfterShutdownPolicy(boolean value) {
    Headroom.ensure();
    continuesPeriodic = value;
    applyPolicies();
  }

  /**
   * Returns whether periodic tasks go on after {@link #shutdown}.
   *
   * @return as set; false by default
   */
  public boolean getContinueExistingPeriodicTasksAfterShutdownPolicy() {
    return continuesPeriodic;
  }

  /**
   * Sets whether delayed tasks run after {@link #shutdown} when their time has come. By default
   * they do. Also applies to an executor that is shut down.
   *
   * @param value false to cancel them
   */
  public void setExecuteExistingDelayedTasksAfterShutdownPolicy(boolean value) {
    Headroom.ensure();
    executesDelayed = value;
    applyPolicies();
  }

  /**
   * Returns whether delayed tasks run after {@link #shutdown}.
   *
   * @return as set; true by default
   */
  public boolean getExecuteExistingDelayedTasksAfterShutdownPolicy() {
    return executesDelayed;
  }

  /**
   * Returns how many due executions the executor that runs tasks has refused. A task that is
   * refused fails with the exception; of a periodic task, only this execution is skipped.
   *
   * @return 0 or more
   */
  public long refused() {
    return refused.get();
  }

  /** Describes the executor for logs: its state, and how many tasks wait or run. */
  @Override
  public String toString() {
    String name = isTerminated() ? "terminated" : isShutdown() ? "shut down" : "running";
    return "WheelScheduledExecutor[" + name + ", " + tasks.size() + " tasks]";
  }

  /** Sets up a {@link WheelScheduledExecutor}. */
  public static final class Builder {
    private static final long RELAY_IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private int threads = 1;
    private @Nullable Executor executor;
    private @Nullable ThreadFactory threadFactory;
    private @Nullable Timer timer;
    private long keepAliveNanos;

    private Builder() {}

    /**
     * Runs tasks on threads of the executor. This is the default, with one thread. As the core
     * threads of a {@link java.util.concurrent.ScheduledThreadPoolExecutor}, they are started one
     * by one, when tasks are submitted, and stay until the executor is terminated. See {@link
     * #keepAlive}.
     *
     * @param most the maximum number of threads, 1 or more
     * @return this builder
     * @throws IllegalArgumentException if it is less than 1
     */
    public Builder threads(int most) {
      if (most < 1) {
        throw new IllegalArgumentException(most + " threads cannot run tasks");
      }
      threads = most;
      executor = null;
      return this;
    }

    /**
     * Runs tasks on an executor of the caller, which closes it. If it blocks, due tasks of the new
     * executor wait, but no others on the same timer. From JDK 21 on, {@code
     * Executors.newVirtualThreadPerTaskExecutor()} runs each task on a virtual thread of its own.
     *
     * @param executor runs each task once
     * @return this builder
     */
    public Builder executor(Executor executor) {
      this.executor = requireNonNull(executor, "executor");
      return this;
    }

    /**
     * Lets a thread of the executor end that had no work for a time. The last idle one stays while
     * a task is scheduled, and for up to a second longer. By default, the threads that run tasks
     * stay until the executor is terminated, and one that hands tasks over to another executor ends
     * after a second.
     *
     * @param idle how long a thread waits for work, 1 ns or more
     * @return this builder
     * @throws IllegalArgumentException if it is zero or negative
     */
    public Builder keepAlive(Duration idle) {
      if (idle.isZero() || idle.isNegative()) {
        throw new IllegalArgumentException("keepAlive " + idle + " is not positive");
      }
      keepAliveNanos = TimeUnit.NANOSECONDS.convert(idle);
      return this;
    }

    /**
     * Sets the factory of the threads of the executor. By default, {@link #threads} are no daemons,
     * and inherit nothing from the threads that submit tasks. Otherwise there is one thread, which
     * hands tasks over: by default a daemon, and always if the timer is the caller's. Threads that
     * are no daemons keep the JVM from exiting while they live.
     *
     * @param factory creates new threads that are not started. Called by threads that submit tasks.
     *     If it fails, the executor goes on with the threads that it has; if it has none, it
     *     rejects the task
     * @return this builder
     */
    public Builder threadFactory(ThreadFactory factory) {
      threadFactory = requireNonNull(factory, "factory");
      return this;
    }

    /**
     * Uses a timer of the caller, which closes it, after the executor. By default, the executor has
     * its own, with a tick of 1 ms. If the caller drives the timer's clock, due tasks are handed to
     * the executor on the thread that does so.
     *
     * @param timer may be shared with others
     * @return this builder
     */
    public Builder timer(Timer timer) {
      this.timer = requireNonNull(timer, "timer");
      return this;
    }

    /**
     * Creates the executor.
     *
     * @return a new executor. Shut it down when it is no longer used
     * @throws IllegalStateException if the thread factory returns null or a started thread
     */
    public WheelScheduledExecutor build() {
      return new WheelScheduledExecutor(this);
    }

    private ThreadFactory factory(@Nullable Executor other) {
      boolean takesTheirs = other == null || timer == null;
      if (takesTheirs && threadFactory != null) {
        return threadFactory;
      }
      return other == null
          ? workers(Threads.daemons("purgatory-executor"))
          : Threads.daemons("purgatory-executor-relay");
    }

    private static ThreadFactory workers(ThreadFactory daemons) {
      return task -> {
        Thread worker = daemons.newThread(task);
        worker.setDaemon(false);
        return worker;
      };
    }

    private long idleNanos(@Nullable Executor other) {
      if (keepAliveNanos > 0) {
        return keepAliveNanos;
      }
      return other == null ? Long.MAX_VALUE : RELAY_IDLE_NANOS;
    }
  }
}
