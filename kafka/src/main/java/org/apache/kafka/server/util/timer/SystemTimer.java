package org.apache.kafka.server.util.timer;

import dev.purgatory.base.Headroom;
import dev.purgatory.base.LastResort;
import dev.purgatory.base.Threads;
import dev.purgatory.kafka.DropIn;
import dev.purgatory.threads.TimerInternals;
import dev.purgatory.wheel.WheelTimer;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.utils.Time;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A timer on the system clock. Users call {@link #advanceClock} in a loop, and the tasks run on a
 * thread that belongs to the timer. Or a reaper calls {@link #runDue} in a loop, and runs the tasks
 * itself. They run one after another.
 *
 * <p>A task never runs early, to the nanosecond.
 */
public class SystemTimer implements Timer, Executor {

  /*
   * To wake a thread costs more than to expire an operation. So a reaper, which is awake when a task is due,
   * runs it. If the task blocks, the clock stands still, and no task waits longer for that: it would wait
   * behind this one in any case. Other callers of `advanceClock` do not expect tasks on their threads.
   *
   * A task that is due when it is added runs on the executor, as do all tasks without a reaper. `unfinished`
   * counts the tasks that wait or run, and the reaper runs one only while that is zero: so tasks keep their
   * order, and one that a task adds runs after it. The holder of `turn` runs a task, so two threads do not run
   * tasks at the same time. It is a monitor: on JDK 17, a thread needs memory to wait for a ReentrantLock, and its
   * task would be lost.
   *
   * Without memory to hand over a task that is due, the thread that advances the clock runs the task, out of order.
   */

  /** The prefix of the names of the threads that run tasks. */
  public static final String SYSTEM_TIMER_THREAD_PREFIX = "executor-";

  private static final Logger LOG = LoggerFactory.getLogger(SystemTimer.class);
  private static final LastResort NOT_LOGGED =
      LastResort.handler("A timer task failed, and could not be logged");
  private static final long CLOSE_TIMEOUT_SECONDS = 5;

  private final ThreadPoolExecutor taskExecutor;
  private final AtomicInteger unfinished = new AtomicInteger();
  private final Object turn = new Object();

  /** The thread in {@link #runDue}, or the last one of several that began. */
  private volatile @Nullable Thread reaper;

  private final dev.purgatory.timer.Timer timer;
  private final WheelTimer wheels;

  /** The time at which the clock of the wheels was 0, in nanoseconds on the system's clock. */
  private final long origin;

  /**
   * Creates a timer with a tick of 1 ms.
   *
   * @param executorName the suffix of the name of the thread that runs tasks
   */
  public SystemTimer(String executorName) {
    this(executorName, timer());
  }

  /**
   * Creates a timer.
   *
   * @param executorName the suffix of the name of the thread that runs tasks
   * @param tickMs the tick in milliseconds
   * @param wheelSize the number of buckets per wheel, 2 or more
   * @param startMs ignored: the clock starts at the current time
   */
  public SystemTimer(String executorName, long tickMs, int wheelSize, long startMs) {
    this(executorName, timer().tick(Duration.ofMillis(tickMs)).wheelSize(wheelSize));
  }

  private SystemTimer(String executorName, dev.purgatory.timer.Timer.Builder builder) {
    DropIn.announce();
    timer = builder.build();
    wheels = TimerInternals.of(timer).wheels();
    origin = Time.SYSTEM.nanoseconds() - wheels.now();
    taskExecutor =
        new ThreadPoolExecutor(
            1,
            1,
            0,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> newThread(task, SYSTEM_TIMER_THREAD_PREFIX + executorName));
  }

  private static Thread newThread(Runnable tasks, String name) {
    Thread thread = Threads.daemon(tasks, name);
    thread.setDaemon(false);
    thread.setContextClassLoader(Thread.currentThread().getContextClassLoader());
    return thread;
  }

  private static dev.purgatory.timer.Timer.Builder timer() {
    return dev.purgatory.timer.Timer.builder()
        .errorHandler(e -> LOG.error("A timer task could not be run", e));
  }

  @Override
  public void add(TimerTask timerTask) {
    Headroom.ensure();
    long now = wheels.now();
    long nowMs = TimeUnit.NANOSECONDS.toMillis(origin + now);
    TimerTaskEntry.add(this, timerTask, now, nowMs + timerTask.delayMs);
  }

  @Override
  public boolean advanceClock(long timeoutMs) throws InterruptedException {
    boolean due = timer.awaitDue(TimeUnit.MILLISECONDS.toNanos(timeoutMs));
    if (due) {
      timer.advance();
    }
    return due;
  }

  @Override
  public int size() {
    return timer.size();
  }

  /**
   * Waits at most five seconds for tasks that were already due. All others never run. Interrupts
   * nothing: an interrupt would close the files of the log that a task may be reading.
   */
  @Override
  public void close() {
    taskExecutor.shutdown();
    try {
      taskExecutor.awaitTermination(CLOSE_TIMEOUT_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      taskExecutor.getQueue().clear();
    }
  }

  /**
   * Returns the timer of the library.
   *
   * @return always the same timer
   */
  public dev.purgatory.timer.Timer coreTimer() {
    return timer;
  }

  /**
   * Returns what runs housekeeping, on the thread of the timer. Tasks that are due do not wait for
   * it.
   *
   * @return an executor that drops tasks once the timer is closed
   */
  public Executor housekeeping() {
    return task -> {
      if (!taskExecutor.isShutdown()) { // else the lists go with their purgatory
        taskExecutor.execute(task);
      }
    };
  }

  WheelTimer wheels() {
    return wheels;
  }

  /**
   * Waits until something is due, and runs it. Tasks run on this thread, or on the timer's if
   * another one waits or runs there.
   *
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public void runDue() throws InterruptedException {
    if (timer.awaitDue(Long.MAX_VALUE)) {
      reaper = Thread.currentThread();
      try {
        timer.advance();
      } finally {
        reaper = null;
      }
    }
  }

  /** Runs a task, on this thread if it is in {@link #runDue} and no other task waits or runs. */
  @Override
  public void execute(Runnable task) {
    if (Thread.currentThread() == reaper
        && !taskExecutor.isShutdown()
        && unfinished.compareAndSet(0, 1)) {
      run(task);
      return;
    }
    boolean accepted = false;
    unfinished.incrementAndGet();
    try {
      taskExecutor.execute(() -> run(task));
      accepted = true;
    } catch (RejectedExecutionException e) {
      LOG.debug("Not running {}: the timer is closed", task);
    } finally {
      if (!accepted) {
        unfinished.decrementAndGet();
      }
    }
  }

  /** Runs a task on the thread that advances the clock: there is no memory to hand it over. */
  void runHere(Runnable task) {
    unfinished.incrementAndGet();
    run(task);
  }

  /** Runs a task that is counted as unfinished. */
  private void run(Runnable task) {
    try {
      synchronized (turn) {
        runInTurn(task);
      }
    } finally {
      unfinished.decrementAndGet();
    }
  }

  private static void runInTurn(Runnable task) {
    try {
      task.run();
    } catch (Throwable e) {
      log(task, e);
    } finally {
      Thread.interrupted(); // meant for this task: the next may read a file
    }
  }

  /** Never throws: a caller would take the task for one that has not run. */
  private static void log(Runnable task, Throwable error) {
    try {
      LOG.error("Timer task {} failed", task, error);
    } catch (Throwable e) {
      NOT_LOGGED.accept(error);
    }
  }

  // Used by Kafka's tests.
  boolean isTerminated() {
    return taskExecutor.isTerminated();
  }
}
