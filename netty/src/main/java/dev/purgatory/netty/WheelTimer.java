package dev.purgatory.netty;

import static java.util.Objects.requireNonNull;

import dev.purgatory.base.Headroom;
import dev.purgatory.base.StripedCounter;
import dev.purgatory.base.Threads;
import dev.purgatory.threads.TimerInternals;
import dev.purgatory.wheel.TimerEntry;
import io.netty.util.Timeout;
import io.netty.util.TimerTask;
import io.netty.util.concurrent.ImmediateExecutor;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * An {@code io.netty.util.Timer} on the timing wheels of {@link dev.purgatory.timer.Timer}, with
 * the constructors of {@code HashedWheelTimer}. Thread-safe.
 *
 * <p>A task runs after its delay, never earlier, and less than one tick later if the timer's thread
 * is free. Timeouts that are due together expire in the order of their deadlines, and equal ones in
 * that in which they were scheduled. The thread runs while a timeout is pending, and for about a
 * second longer. It sleeps until the next one may be due: there are no ticks, so a tick of 1 ms
 * costs nothing while nothing is due.
 *
 * <p>A timeout that is cancelled or expires is counted out at once, and the timer no longer refers
 * to it or its task.
 */
public final class WheelTimer implements io.netty.util.Timer {

  /*
   * The wheels belong to the core's timer. This class adds what Netty's interface asks for beyond them: a
   * limit, and stop(), which returns what is pending. It finds that in the wheels, so there is no list of
   * timeouts.
   *
   * The state of a timeout alone decides how it ends, by one compare-and-set. The winner counts the end and
   * gives the permit back. So each timeout for which newTimeout() has returned is run, cancelled by the user,
   * or returned by stop(): never two of these.
   *
   * A walk over the wheels may miss a timeout that another thread is about to insert. So newTimeout() counts
   * the timeout and then reads `stopped`; stop() sets `stopped`, and then walks until as many have ended as
   * have begun. It reads the ends first. Both numbers only grow, so if they are equal, nothing was pending when
   * the ends had been read. What is counted later is refused. Wheels that are not shared count their entries as
   * these are scheduled, so there newTimeout() reads `stopped` once more, afterwards.
   * Among the entries of shared wheels, this class counts its own ones.
   *
   * One counter that goes up and down was rejected: its sum may miss that a caller is counted, and see that
   * this one was refused, and so be zero too early. A limit that adds first and subtracts if there are too
   * many was rejected, too: callers that are refused would make others fail while there is room.
   */

  private static final System.Logger LOG = System.getLogger("dev.purgatory.netty");
  private static final Duration DEFAULT_TICK = Duration.ofMillis(100);
  private static final int DEFAULT_WHEEL = 512;
  private static final int SMALLEST_WHEEL = 2;
  private static final int LARGEST_WHEEL = 1 << 16;

  /** As in Netty 4.1. */
  private static final int MOST_TICKS = 1 << 30;

  /** How long stop() waits for other threads if a walk has found nothing. */
  private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

  private final dev.purgatory.timer.Timer timer;
  private final dev.purgatory.wheel.WheelTimer wheels;
  private final boolean shared;
  private final Executor taskExecutor;
  private final @Nullable Semaphore permits;
  private final long maxPending;

  /** Unused if the wheels are not shared. */
  private final StripedCounter begun = new StripedCounter();

  private final StripedCounter ended = new StripedCounter();
  private volatile boolean stopped;

  /**
   * The thread of the clock while it runs a timeout: there, stop() is refused. Racy: another thread
   * may read a stale one, but never itself.
   */
  private @Nullable Thread clock;

  /**
   * Creates a timer with a tick of 100 ms. Its thread is not a daemon: it keeps the JVM running
   * while a timeout is pending, and for about a second longer.
   */
  public WheelTimer() {
    this(WheelTimer::newThread);
  }

  /**
   * Creates a timer with a thread that is not a daemon.
   *
   * @param tickDuration how late a task may run, at most, while the thread is free
   * @param unit of the tick
   * @throws IllegalArgumentException if the tick is zero, negative, or too long
   */
  public WheelTimer(long tickDuration, TimeUnit unit) {
    this(WheelTimer::newThread, tickDuration, unit);
  }

  /**
   * Creates a timer with a thread that is not a daemon.
   *
   * @param tickDuration how late a task may run, at most, while the thread is free
   * @param unit of the tick
   * @param ticksPerWheel the number of buckets of a wheel, 1 to 2<sup>30</sup>. The timer uses from
   *     2 to 65,536; longer delays go to further wheels
   * @throws IllegalArgumentException if a number is zero, negative, or too large
   */
  public WheelTimer(long tickDuration, TimeUnit unit, int ticksPerWheel) {
    this(WheelTimer::newThread, tickDuration, unit, ticksPerWheel);
  }

  /**
   * Creates a timer with a tick of 100 ms.
   *
   * @param threadFactory creates the timer's thread, again each time after the timer was idle
   * @throws IllegalStateException if the factory returns null or a started thread
   */
  public WheelTimer(ThreadFactory threadFactory) {
    this(threadFactory, DEFAULT_TICK.toMillis(), TimeUnit.MILLISECONDS);
  }

  /**
   * Creates a timer.
   *
   * @param threadFactory creates the timer's thread, again each time after the timer was idle
   * @param tickDuration how late a task may run, at most, while the thread is free
   * @param unit of the tick
   * @throws IllegalArgumentException if the tick is zero, negative, or too long
   * @throws IllegalStateException if the factory returns null or a started thread
   */
  public WheelTimer(ThreadFactory threadFactory, long tickDuration, TimeUnit unit) {
    this(threadFactory, tickDuration, unit, DEFAULT_WHEEL);
  }

  /**
   * Creates a timer.
   *
   * @param threadFactory creates the timer's thread, again each time after the timer was idle
   * @param tickDuration how late a task may run, at most, while the thread is free
   * @param unit of the tick
   * @param ticksPerWheel the number of buckets of a wheel, 1 to 2<sup>30</sup>. The timer uses from
   *     2 to 65,536; longer delays go to further wheels
   * @throws IllegalArgumentException if a number is zero, negative, or too large
   * @throws IllegalStateException if the factory returns null or a started thread
   */
  public WheelTimer(
      ThreadFactory threadFactory, long tickDuration, TimeUnit unit, int ticksPerWheel) {
    this(threadFactory, tickDuration, unit, ticksPerWheel, true);
  }

  /**
   * Creates a timer.
   *
   * @param threadFactory creates the timer's thread, again each time after the timer was idle
   * @param tickDuration how late a task may run, at most, while the thread is free
   * @param unit of the tick
   * @param ticksPerWheel the number of buckets of a wheel, 1 to 2<sup>30</sup>. The timer uses from
   *     2 to 65,536; longer delays go to further wheels
   * @param leakDetection has no effect: a timer without pending timeouts has no thread, and is
   *     collected as any other object
   * @throws IllegalArgumentException if a number is zero, negative, or too large
   * @throws IllegalStateException if the factory returns null or a started thread
   */
  public WheelTimer(
      ThreadFactory threadFactory,
      long tickDuration,
      TimeUnit unit,
      int ticksPerWheel,
      boolean leakDetection) {
    this(threadFactory, tickDuration, unit, ticksPerWheel, leakDetection, -1);
  }

  /**
   * Creates a timer.
   *
   * @param threadFactory creates the timer's thread, again each time after the timer was idle
   * @param tickDuration how late a task may run, at most, while the thread is free
   * @param unit of the tick
   * @param ticksPerWheel the number of buckets of a wheel, 1 to 2<sup>30</sup>. The timer uses from
   *     2 to 65,536; longer delays go to further wheels
   * @param leakDetection has no effect
   * @param maxPendingTimeouts the number of pending timeouts at which {@code newTimeout} throws a
   *     {@link RejectedExecutionException}; zero or less: no limit
   * @throws IllegalArgumentException if a number is zero, negative, or too large
   * @throws IllegalStateException if the factory returns null or a started thread
   */
  public WheelTimer(
      ThreadFactory threadFactory,
      long tickDuration,
      TimeUnit unit,
      int ticksPerWheel,
      boolean leakDetection,
      long maxPendingTimeouts) {
    this(
        threadFactory,
        tickDuration,
        unit,
        ticksPerWheel,
        leakDetection,
        maxPendingTimeouts,
        ImmediateExecutor.INSTANCE);
  }

  /**
   * Creates a timer.
   *
   * @param threadFactory creates the timer's thread, again each time after the timer was idle
   * @param tickDuration how late a task may run, at most, while the thread is free
   * @param unit of the tick
   * @param ticksPerWheel the number of buckets of a wheel, 1 to 2<sup>30</sup>. The timer uses from
   *     2 to 65,536; longer delays go to further wheels
   * @param leakDetection has no effect
   * @param maxPendingTimeouts the number of pending timeouts at which {@code newTimeout} throws a
   *     {@link RejectedExecutionException}; zero or less: no limit
   * @param taskExecutor runs the tasks; called on the timer's thread, so it must not block. If it
   *     rejects a task, the timer's thread runs the task. {@link #stop} does not shut it down
   * @throws IllegalArgumentException if a number is zero, negative, or too large
   * @throws IllegalStateException if the factory returns null or a started thread
   */
  @SuppressWarnings("unused") // the parameter for leak detection
  public WheelTimer(
      ThreadFactory threadFactory,
      long tickDuration,
      TimeUnit unit,
      int ticksPerWheel,
      boolean leakDetection,
      long maxPendingTimeouts,
      Executor taskExecutor) {
    this(
        timer(threadFactory, tickDuration, unit, ticksPerWheel),
        false,
        maxPendingTimeouts,
        taskExecutor);
  }

  /**
   * Creates a timer on the wheels of another one, which purgatories may share. {@link #stop}
   * cancels the timeouts of this object, and leaves the shared timer running.
   *
   * @param shared runs the tasks on its own thread, or on the thread that advances it
   */
  public WheelTimer(dev.purgatory.timer.Timer shared) {
    this(requireNonNull(shared, "shared"), true, -1, ImmediateExecutor.INSTANCE);
  }

  private WheelTimer(
      dev.purgatory.timer.Timer timer, boolean shared, long maxPending, Executor taskExecutor) {
    this.timer = timer;
    this.wheels = TimerInternals.of(timer).wheels();
    this.shared = shared;
    this.maxPending = maxPending;
    this.taskExecutor = requireNonNull(taskExecutor, "taskExecutor");
    permits = maxPending <= 0 ? null : new Semaphore((int) Math.min(maxPending, Integer.MAX_VALUE));
  }

  private static dev.purgatory.timer.Timer timer(
      ThreadFactory threads, long tickDuration, TimeUnit unit, int ticksPerWheel) {
    requireNonNull(threads, "threadFactory");
    requireNonNull(unit, "unit");
    if (ticksPerWheel <= 0 || ticksPerWheel > MOST_TICKS) {
      throw new IllegalArgumentException(
          "ticksPerWheel " + ticksPerWheel + " is not between 1 and " + MOST_TICKS);
    }
    long tick = unit.toNanos(tickDuration);
    if (tick <= 0 || tick >= Long.MAX_VALUE / ticksPerWheel) {
      throw new IllegalArgumentException(
          "tickDuration " + tickDuration + ' ' + unit + " is not positive, or too long");
    }
    return dev.purgatory.timer.Timer.builder()
        .tick(Duration.ofNanos(tick))
        .wheelSize(Math.max(SMALLEST_WHEEL, Math.min(ticksPerWheel, LARGEST_WHEEL)))
        .start(threads);
  }

  /** Inherits nothing from the thread that happens to schedule the first timeout. */
  private static Thread newThread(Runnable clock) {
    Thread thread = Threads.daemon(clock, "purgatory-netty-timer");
    thread.setDaemon(false);
    thread.setContextClassLoader(WheelTimer.class.getClassLoader());
    return thread;
  }

  /**
   * Does nothing: the thread starts when it is needed.
   *
   * @throws IllegalStateException if this timer was stopped
   */
  public void start() {
    if (stopped) {
      throw stoppedException();
    }
  }

  static IllegalStateException stoppedException() {
    return new IllegalStateException("the timer is stopped");
  }

  /**
   * Schedules a task to run once after a delay.
   *
   * @param task runs on the timer's thread or the task executor. Its exceptions are logged
   * @param delay from now. With zero or less, the task is due at once
   * @param unit of the delay
   * @return a handle that can cancel the task
   * @throws RejectedExecutionException if as many timeouts as the limit allows are pending
   * @throws IllegalStateException if this timer was stopped
   */
  @Override
  public Timeout newTimeout(TimerTask task, long delay, TimeUnit unit) {
    requireNonNull(task, "task");
    requireNonNull(unit, "unit");
    Headroom.ensure();
    long now = wheels.now();
    long deadline = dev.purgatory.wheel.WheelTimer.deadline(now, unit.toNanos(delay));
    WheelTimeout timeout = new WheelTimeout(this, task, deadline);
    if (permits != null && !permits.tryAcquire()) {
      throw new RejectedExecutionException(maxPending + " timeouts are pending, as many as may be");
    }
    if (shared) {
      long unused = begun.add(1);
    }
    if (stopped) {
      countEnd();
      throw stoppedException();
    }
    try {
      wheels.schedule(timeout.wait, now);
    } catch (Throwable e) {
      if (timeout.wait.isNew()) {
        countEnd();
        if (stopped) {
          throw stoppedException();
        }
        throw e;
      } else if (timeout.cancelQuietly()) {
        throw e;
      } // else it has run, or stop() has returned it
    }
    if (!shared && stopped && timeout.cancelQuietly()) {
      throw stoppedException();
    }
    return timeout;
  }

  /** Called once for each timeout that was counted. */
  private void countEnd() {
    if (shared) {
      long unused = ended.add(1);
    }
    if (permits != null) {
      permits.release();
    }
  }

  /** Completes the cancellation of a timeout. */
  void cancelled(TimerEntry wait) {
    countEnd();
    wheels.countEnd(wait);
  }

  /** Runs an expired timeout or hands it to the executor, on the thread of the clock. */
  void expire(WheelTimeout timeout) {
    countEnd();
    clock = Thread.currentThread();
    try {
      taskExecutor.execute(timeout);
    } catch (Throwable e) {
      runRejected(timeout, e);
    } finally {
      clock = null;
    }
  }

  /** Runs the task first: a log that throws does not lose it. */
  private static void runRejected(WheelTimeout timeout, Throwable cause) {
    try {
      timeout.run();
    } finally {
      log("The executor of tasks threw, so the timer's thread runs the task", cause);
    }
  }

  /** Never throws: the logger may find no memory, and its classes then fail for good. */
  static void log(String message, Throwable error) {
    try {
      LOG.log(System.Logger.Level.WARNING, message, error);
    } catch (Throwable e) {
      // There is no other place to report it.
    }
  }

  /**
   * Returns the number of timeouts that neither expired nor were cancelled.
   *
   * @return 0 or more; exact while no other thread schedules or cancels
   */
  public long pendingTimeouts() {
    if (!shared) {
      return wheels.size();
    }
    long gone = ended.sum();
    return begun.sum() - gone;
  }

  /**
   * Cancels all pending timeouts, and stops the thread. Waits up to five seconds for a task that
   * runs on it, and then interrupts the task. If the caller is interrupted, that wait ends, the
   * task goes on, and the interrupt status stays set. A shared timer keeps its thread: this neither
   * waits for a task that runs there nor interrupts it.
   *
   * <p>Does not call {@link TimerTask#cancelled}. Visits all entries of a shared timer, and waits
   * for calls of {@link #newTimeout} that have begun, so a thread factory must not call this.
   *
   * @return the timeouts that this call cancelled; empty if this timer was stopped before
   * @throws IllegalStateException if a task calls this on the timer's thread
   */
  @Override
  public Set<Timeout> stop() {
    if (Thread.currentThread() == clock) {
      throw new IllegalStateException("a task cannot stop its timer");
    }
    Headroom.ensure();
    stopped = true;
    Set<Timeout> cancelled = new HashSet<>();
    boolean interrupted = false;
    while (pendingTimeouts() > 0) {
      int before = cancelled.size();
      wheels.forEach(entry -> cancel(entry, cancelled));
      if (cancelled.size() == before) {
        interrupted |= Thread.interrupted(); // else there would be no pause
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    if (!shared) {
      timer.close();
    }
    return cancelled;
  }

  private void cancel(TimerEntry entry, Set<Timeout> cancelled) {
    if (entry instanceof WheelTimeout.Wait wait) {
      WheelTimeout timeout = wait.timeout;
      if (timeout != null && timeout.timer() == this && timeout.cancelQuietly()) {
        cancelled.add(timeout);
      }
    }
  }

  /** Describes the timer for logs. */
  @Override
  public String toString() {
    return "WheelTimer[" + (stopped ? "stopped, " : "") + pendingTimeouts() + " pending]";
  }
}
