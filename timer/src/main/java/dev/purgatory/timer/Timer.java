package dev.purgatory.timer;

import static java.util.Objects.requireNonNull;

import dev.purgatory.base.Headroom;
import dev.purgatory.base.LastResort;
import dev.purgatory.base.Stripes;
import dev.purgatory.base.Threads;
import dev.purgatory.threads.Helpers;
import dev.purgatory.threads.TimerInternals;
import dev.purgatory.wheel.ClockThread;
import dev.purgatory.wheel.WheelTimer;
import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A timer for very many timeouts. Scheduling takes a few steps and cancelling a single one without
 * a lock, regardless of their number. Thread-safe.
 *
 * <p>A task runs after its delay, never earlier, and less than one tick later if a thread is free
 * to run it. Tasks that are due together run in the order of their deadlines, those with the same
 * deadline in the order in which they were scheduled, by whichever threads. A task that is
 * scheduled for a time in the past comes after tasks that were due already. No task runs on the
 * thread that schedules it.
 *
 * <p>A task that ran or was cancelled is unreachable from the timer at once. The timer keeps fewer
 * than twice as many entries as are scheduled, plus a few thousand small objects.
 *
 * <p>A thread of the timer drives the clock, {@link Builder#start}: it runs while something is
 * scheduled, and sleeps until the next task may be due. Or the caller drives it, {@link
 * Builder#build}: with {@link #awaitDue} and {@link #advance} on a thread of its own, or with
 * {@code advance} after moving a test's {@link Ticker}.
 *
 * <p>One timer can serve many purgatories. Their timeouts run on other threads than the tasks that
 * are scheduled here: on helper threads, or on an {@code expirationExecutor}.
 */
public final class Timer implements AutoCloseable {
  static {
    TimerInternals.install(timer -> ((Timer) timer).internals);
  }

  private final WheelTimer wheels;
  private final TimerInternals internals;

  private Timer(Builder builder, @Nullable ThreadFactory threads) {
    wheels =
        new WheelTimer(
            builder.ticker::nanos,
            builder.tickNanos,
            builder.wheelSize,
            builder.stripeCount,
            builder.errorHandler,
            threads,
            builder.idleNanos);
    internals = new TimerInternals(wheels, new Helpers(wheels));
  }

  /**
   * Returns a builder of timers, set to a tick of 1 ms, wheels of 64 buckets, and the system's
   * ticker.
   *
   * @return a new builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Returns the time on this timer's clock.
   *
   * @return nanoseconds since the timer was made, 0 or more
   */
  public long now() {
    return wheels.now();
  }

  /**
   * Returns the number of scheduled entries.
   *
   * @return 0 or more; exact while no other thread schedules or cancels
   */
  public int size() {
    return wheels.size();
  }

  /**
   * Schedules a task to run once after a delay.
   *
   * @param task runs on the thread that advances the clock, without a lock of the timer. Other
   *     tasks wait until it returns, so hand slow work to an executor. Its exceptions go to the
   *     timer's error handler
   * @param delay from now. With zero, the task is due at once
   * @return a handle that can cancel the task
   * @throws IllegalArgumentException if the delay is negative
   * @throws IllegalStateException if the timer is closed, or the factory of its thread fails
   */
  public Timeout schedule(Runnable task, Duration delay) {
    requireNonNull(task, "task");
    long now = now();
    return start(task, deadline(now, delay), now);
  }

  /**
   * Schedules a task to run once at a deadline.
   *
   * @param task as {@linkplain #schedule above}
   * @param deadline nanoseconds on this timer's clock, {@link #now()}. If that is in the past, the
   *     task is due at once
   * @return a handle that can cancel the task
   * @throws IllegalStateException if the timer is closed
   */
  public Timeout scheduleAt(Runnable task, long deadline) {
    requireNonNull(task, "task");
    return start(task, deadline, now());
  }

  /**
   * Returns the time after a delay.
   *
   * @throws IllegalArgumentException if the delay is negative
   */
  static long deadline(long now, Duration delay) {
    if (delay.isNegative()) {
      throw new IllegalArgumentException("delay " + delay + " is negative");
    }
    return WheelTimer.deadline(now, TimeUnit.NANOSECONDS.convert(delay));
  }

  private Timeout start(Runnable task, long deadline, long now) {
    Headroom.ensure();
    ScheduledTask timeout = new ScheduledTask(wheels, task, deadline);
    wheels.schedule(timeout, now);
    return timeout;
  }

  /**
   * Runs all due tasks on this thread, in order, and the tasks that they schedule with a deadline
   * in the past. If several threads call this at the same time, there is no order among them.
   *
   * @return the number of entries that fired, including those of purgatories, but without the
   *     library's housekeeping, which {@link #size} does not count either; 0 if the timer is closed
   */
  public int advance() {
    return wheels.advance();
  }

  /**
   * Changes the tick and the number of buckets per wheel, while the timer runs. Scheduled tasks
   * stay scheduled. Moves them to the new wheels in small steps, between which tasks are scheduled
   * and fire as usual, and returns when all were moved. Until then, a task may be late by the
   * longer of the two ticks.
   *
   * <p>Call this from a thread of your own: a task that calls it delays the others. If two threads
   * call it, one waits for the other.
   *
   * @param tick 1 ns or more
   * @param wheelSize 2 to 65,536 buckets, rounded up to a power of two
   * @throws IllegalArgumentException if one of them is out of range
   * @throws IllegalStateException if the timer is closed
   */
  public void reconfigure(Duration tick, int wheelSize) {
    long tickNanos = Builder.checkedTick(tick);
    int size = Builder.roundedSize(wheelSize);
    if (wheels.isClosed()) {
      throw WheelTimer.closedException();
    }
    Headroom.ensure();
    wheels.reconfigure(tickNanos, size);
  }

  /**
   * Waits until {@link #advance} has work. The wait may end early if an entry is cancelled.
   *
   * @param nanos how long to wait at most; {@link Long#MAX_VALUE}: no time limit, 0 or less: not at
   *     all
   * @return false if there was no work in this time, or the timer was closed
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public boolean awaitDue(long nanos) throws InterruptedException {
    return wheels.awaitDue(nanos);
  }

  /**
   * Returns the time until which {@link #advance} fires nothing, unless more is scheduled before.
   *
   * @return nanoseconds on this timer's clock, {@link #now()}; {@link Long#MAX_VALUE} if nothing is
   *     scheduled, or the timer is closed. It may be earlier than the next deadline: if entries
   *     have to move to a finer wheel then, if an entry was cancelled, or for housekeeping
   */
  public long nextDue() {
    return wheels.nextDue();
  }

  /**
   * Returns whether the timer is closed: then no scheduled task will run.
   *
   * @return true after {@link #close} was called
   */
  public boolean isClosed() {
    return wheels.isClosed();
  }

  /**
   * Returns whether the timer drives its own clock. Its thread runs only while something is
   * scheduled.
   *
   * @return true if it was created by {@link Builder#start}, false if by {@link Builder#build}
   */
  public boolean hasThread() {
    return wheels.hasThread();
  }

  /**
   * Stops the clock. Scheduled tasks never run. Waits up to five seconds for the timer's thread to
   * end, and then interrupts its task, unless called on it. If the caller is interrupted, the wait
   * ends and the interrupt status stays set. Closing again does nothing.
   */
  @Override
  public void close() {
    Headroom.ensure();
    wheels.close();
  }

  /** Describes the timer for logs: whether it is closed, its size, and when it is due next. */
  @Override
  public String toString() {
    long due = nextDue();
    String next = due == Long.MAX_VALUE ? "" : ", next due in " + Duration.ofNanos(due - now());
    return "Timer[" + (isClosed() ? "closed, " : "") + size() + " scheduled" + next + ']';
  }

  /** Sets up a {@link Timer}. */
  public static final class Builder {
    private Ticker ticker = Ticker.system();
    private long tickNanos = TimeUnit.MILLISECONDS.toNanos(1);
    private int wheelSize = 64;
    private int stripeCount = Stripes.COUNT;
    private long idleNanos = ClockThread.IDLE_NANOS;
    private Consumer<Throwable> errorHandler = LastResort.handler("A timer task threw");

    private Builder() {}

    /**
     * Sets the source of time. Every thread that uses the timer reads it. If it does not move with
     * real time, as in tests, create the timer with {@link #build}: the thread of {@link
     * #start(String)} sleeps in real time, and would not notice that a task has become due.
     *
     * @param ticker the source of time; by default {@link Ticker#system()}
     * @return this builder
     */
    public Builder ticker(Ticker ticker) {
      this.ticker = requireNonNull(ticker, "ticker");
      return this;
    }

    /**
     * Sets the tick: how late a task may run, at most, while a thread is free. By default 1 ms.
     *
     * @param tick 1 ns or more
     * @return this builder
     * @throws IllegalArgumentException if the tick is zero, negative, or above 292 years
     */
    public Builder tick(Duration tick) {
      this.tickNanos = checkedTick(tick);
      return this;
    }

    private static long checkedTick(Duration tick) {
      if (tick.isZero()
          || tick.isNegative()
          || tick.compareTo(Duration.ofNanos(Long.MAX_VALUE)) > 0) {
        throw new IllegalArgumentException("tick " + tick + " is not from 1 ns to 292 years");
      }
      return tick.toNanos();
    }

    /**
     * Sets the number of buckets per wheel. More buckets mean fewer levels. By default 64.
     *
     * @param buckets 2 to 65,536, rounded up to a power of two
     * @return this builder
     * @throws IllegalArgumentException if it is not in this range
     */
    public Builder wheelSize(int buckets) {
      this.wheelSize = roundedSize(buckets);
      return this;
    }

    private static int roundedSize(int buckets) {
      if (buckets < 2 || buckets > 1 << 16) {
        throw new IllegalArgumentException("wheel size " + buckets + " is not from 2 to 65536");
      }
      return Integer.highestOneBit(2 * buckets - 1);
    }

    /**
     * Sets the handler of exceptions that tasks throw. By default they are logged.
     *
     * @param handler called on the thread that ran the task
     * @return this builder
     */
    public Builder errorHandler(Consumer<Throwable> handler) {
      this.errorHandler = requireNonNull(handler, "handler");
      return this;
    }

    Builder idleNanos(long nanos) {
      this.idleNanos = nanos;
      return this;
    }

    Builder stripes(int powerOfTwo) {
      this.stripeCount = powerOfTwo;
      return this;
    }

    /**
     * Creates a timer without a thread: the caller drives its clock.
     *
     * @return a new timer
     */
    public Timer build() {
      return new Timer(this, null);
    }

    /**
     * Creates a timer that drives its own clock until {@link Timer#close}, on a daemon thread. The
     * thread is started when something is scheduled, and ends after about a second in which the
     * timer is empty.
     *
     * @param threadName the name of the thread
     * @return a new timer
     */
    public Timer start(String threadName) {
      return start(Threads.daemons(requireNonNull(threadName, "threadName")));
    }

    /**
     * Creates a timer that drives its own clock until {@link Timer#close}. A thread is started when
     * something is scheduled, and ends after about a second in which the timer is empty.
     *
     * @param threads creates the thread, which should be a platform thread: a virtual one may wait
     *     for a carrier. Called at once for the first thread, and later by threads that schedule,
     *     perhaps by several at the same time: then only one of the new threads is started. If that
     *     call fails, {@code schedule} throws, and nothing is scheduled
     * @return a new timer
     * @throws IllegalStateException if the factory returns null or a started thread
     */
    public Timer start(ThreadFactory threads) {
      return new Timer(this, requireNonNull(threads, "threads"));
    }
  }
}
