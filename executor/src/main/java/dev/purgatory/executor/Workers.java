package dev.purgatory.executor;

import dev.purgatory.base.Mutex;
import dev.purgatory.timer.Ticker;
import dev.purgatory.timer.Timer;
import dev.purgatory.wheel.ClockThread;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Threads that take tasks when they are due: in the order of their deadlines, and for equal ones in
 * that of their submission. Thread-safe.
 */
final class Workers {

  /*
   * Nearly all tasks wait in the wheels, where scheduling and cancelling take a few steps. Shortly before
   * its deadline, a task moves here. A thread takes the first task when that is due. So what a thread runs
   * next is what a ScheduledThreadPoolExecutor would run, and it is as punctual. Wheels alone fire up to a
   * tick late: commands without a delay would overtake tasks that were due before.
   *
   * At most one idle thread is the leader. It sleeps until the first task is due; the others sleep until
   * they are woken. A thread that finds a task wakes the next leader, as in DelayQueue.
   *
   * If the executor has a timer of its own, its threads drive the clock, one at a time: `driving`. A thread
   * does so before it takes a task. So with one thread, all that is due is here when it looks, even if
   * it comes late. The leader then also wakes up for the wheels. It writes `knownUntil`, and then reads the
   * wheels again; a scheduler inserts a task into the wheels, and then reads `knownUntil`. Both are
   * volatile, so at least one of the two sees the other.
   *
   * While no leader sleeps, `knownUntil` is the time when a thread last read the clock. What was due then is taken
   * without another reading, which takes longer than the rest, unless something was scheduled
   * since that was due then, too: its scheduler takes the lock and resets `knownUntil`. It is the end of time
   * during a reading, and while a thread is idle without a leader, as there was nothing to wait for: then
   * the thread that schedules a task wakes it.
   *
   * Threads are started by threads that submit tasks, never by the clock, and stay until the executor is
   * closed or, if the caller wants that, were idle for a time. The last idle one stays while there are more tasks
   * than the others may be running: it counts itself out, and then looks for tasks; a task is counted first, and
   * then its thread reads `arrived`.
   *
   * The factory of threads is code of the user. It is called without the lock, by any thread that submits
   * while there are too few; a thread too many is not started. `starters` are the threads in the factory:
   * what they submit starts no further thread. Under the lock runs no code of the user, except
   * Thread.start of a class of the user. A thread of the user may end before it runs `run`. So `arrived` counts
   * only threads that do. While it is too small, each submission replaces the threads that have ended.
   *
   * Nothing ends `run` but its return, not even lack of memory. To take, drive, sleep and wake allocate nothing, so
   * they fail only where the timer does, and then the state is put back. Conditions were rejected: on JDK 17, to wake
   * a waiter may fail, and the waiter is lost.
   *
   * A cancelled task stays here until it is due. If there may be more of them than others, they are removed
   * together: each costs a few steps, and at most twice the others plus a thousand are kept.
   */

  private static final long UNKNOWN = Long.MIN_VALUE;
  private static final int KEPT_AT_REST = 1000;

  /** How often the last thread looks whether all tasks were cancelled. */
  private static final long LEAST_LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Timer timer;
  private final boolean drivesTimer;
  private final int most;
  private final ThreadFactory factory;
  private final long idleNanos;
  private final LongSupplier tasks;
  private final Consumer<WheelTask<?>> action;
  private final Set<Thread> starters = ConcurrentHashMap.newKeySet();

  /** Created early, so that a bad factory is noticed. Null once it was taken. */
  private final AtomicReference<@Nullable Thread> first;

  private final Mutex lock = new Mutex();

  /** Started, and perhaps ended before they have arrived. */
  private final ArrayList<Thread> threads = new ArrayList<>();

  /** They sleep, and nobody wakes them yet. Has room for all, so that adding one cannot fail. */
  private final ArrayList<Thread> idle = new ArrayList<>();

  final TaskQueue queue = new TaskQueue();
  private int cancelled;
  private boolean driving;
  private boolean closed;

  /** The idle thread that sleeps until a certain time. */
  private @Nullable Thread leader;

  /**
   * The threads know what is due before this time: they look then, or have looked, unless it is the
   * end of time. A thread that schedules a task for an earlier time wakes one of them. Written with
   * the lock, read without it.
   */
  private volatile long knownUntil = UNKNOWN;

  /** The number of threads in {@link #run}. */
  private final AtomicInteger arrived = new AtomicInteger();

  /**
   * Creates the first thread, without starting it.
   *
   * @param drivesTimer whether these threads are the only ones that advance the timer
   * @param idleNanos how long an idle thread waits before it ends
   * @param tasks returns how many tasks the executor has, here, in the wheels, and on threads
   * @param action gets each task when it is due, on one of the threads
   * @throws IllegalStateException if the factory returns null or a started thread
   */
  Workers(
      Timer timer,
      boolean drivesTimer,
      int most,
      ThreadFactory factory,
      long idleNanos,
      LongSupplier tasks,
      Consumer<WheelTask<?>> action) {
    this.timer = timer;
    this.drivesTimer = drivesTimer;
    this.most = most;
    this.factory = factory;
    this.idleNanos = idleNanos;
    this.tasks = tasks;
    this.action = action;
    this.first = new AtomicReference<>(ClockThread.newThread(factory, this::run));
  }

  /**
   * Starts a thread unless there are enough. Called for each task, after it was listed.
   *
   * @throws IllegalStateException if there is no thread and the factory returns null or a started
   *     thread; any exception of the factory is thrown, too
   */
  void ensureStarted() {
    if (arrived.get() >= most) {
      return;
    }
    try {
      if (countAlive() < most && starters.add(Thread.currentThread())) {
        try {
          Thread prepared = first.getAndSet(null);
          start(prepared == null ? ClockThread.newThread(factory, this::run) : prepared);
        } finally {
          starters.remove(Thread.currentThread());
        }
      }
    } catch (RuntimeException | Error e) {
      if (arrived.get() == 0 && countAlive() == 0) {
        throw e;
      } // otherwise the others do the work, and the next task tries again
    }
  }

  /** Returns the number of threads, after it has removed ended ones. */
  private int countAlive() {
    lock.lock();
    try {
      for (int i = threads.size() - 1; i >= 0; i--) {
        if (!threads.get(i).isAlive()) {
          threads.remove(i);
        }
      }
      return threads.size();
    } finally {
      lock.unlock();
    }
  }

  private void start(Thread next) {
    lock.lock();
    try {
      if (threads.size() < most && !closed) {
        idle.ensureCapacity(threads.size() + 1);
        threads.add(next);
        next.start(); // if this fails, the thread is not alive
      }
    } finally {
      lock.unlock();
    }
  }

  /** Adds a task. It is taken when it is due. */
  void add(WheelTask<?> task) {
    Thread woken = null;
    lock.lock();
    try {
      queue.add(task);
      if (queue.peek() == task) {
        woken = toWake();
      }
    } finally {
      lock.unlock();
    }
    LockSupport.unpark(woken);
  }

  /** Called after a task was scheduled, so that the clock is advanced at this time. */
  void wakeBy(long due) {
    if (due < knownUntil) {
      Thread woken;
      lock.lock();
      try {
        woken = toWake();
      } finally {
        lock.unlock();
      }
      LockSupport.unpark(woken);
    }
  }

  /** Returns an idle thread that must look again, or null if there is none. Requires the lock. */
  private @Nullable Thread toWake() {
    changeLeader(null, UNKNOWN);
    return pollIdle();
  }

  private @Nullable Thread pollIdle() {
    return idle.isEmpty() ? null : idle.remove(0);
  }

  private void changeLeader(@Nullable Thread next, long until) {
    leader = next;
    knownUntil = until;
  }

  private void run() {
    arrived.incrementAndGet();
    for (; ; ) {
      try {
        WheelTask<?> task = take();
        if (task == null) {
          return;
        }
        Thread.interrupted(); // left by the task before
        action.accept(task);
      } catch (Throwable e) {
        // A handler of uncaught exceptions threw, or there is no memory. The thread goes on.
      }
    }
  }

  /** Waits for a task that is due. Returns null if this thread must end. */
  private @Nullable WheelTask<?> take() {
    long patience = idleNanos;
    Thread woken = null;
    lock.lock();
    try {
      while (!closed) {
        WheelTask<?> next = queue.peek();
        long now = leader == null && knownUntil != Long.MAX_VALUE ? knownUntil : UNKNOWN;
        if (next == null || next.deadline() > now) {
          now = readClock();
        }
        boolean isDue = next != null && next.deadline() <= now;
        if (mayDrive() && (timer.nextDue() <= now || (!isDue && hasHousekeeping()))) {
          drive();
        } else if (isDue) {
          queue.remove();
          return next;
        } else if (patience <= 0) {
          if (countOut()) {
            return null;
          }
          patience = Math.max(idleNanos, LEAST_LOOK_NANOS);
        } else {
          patience -= leader == null ? lead(next, now, patience) : sleep(patience);
        }
      }
      return null;
    } finally {
      if (leader == null && !idle.isEmpty()) {
        if (drivesTimer) {
          knownUntil = Long.MAX_VALUE; // before the wheels are read
        }
        if (hasNext()) {
          woken = pollIdle(); // the next leader
        }
      }
      lock.unlock();
      LockSupport.unpark(woken);
    }
  }

  private long readClock() {
    if (leader != null) {
      return timer.now();
    }
    knownUntil = Long.MAX_VALUE;
    knownUntil = timer.now();
    return knownUntil;
  }

  private boolean mayDrive() {
    return drivesTimer && !driving;
  }

  private boolean hasNext() {
    return queue.peek() != null || (mayDrive() && timer.nextDue() != Long.MAX_VALUE);
  }

  /** Returns whether the wheels move entries ahead of their time. */
  private boolean hasHousekeeping() {
    try {
      return timer.awaitDue(0);
    } catch (InterruptedException e) {
      return false; // it does not wait
    }
  }

  /** Advances the clock, without the lock. */
  private void drive() {
    driving = true;
    lock.unlock();
    try {
      timer.advance();
    } finally {
      lock.lock();
      driving = false;
      changeLeader(null, UNKNOWN); // it does not wake up for the wheels
    }
  }

  /** Sleeps until the next task is due, or somebody else leads. Returns how long that was. */
  private long lead(@Nullable WheelTask<?> next, long now, long atMost) {
    boolean drives = mayDrive();
    long due = next == null ? Long.MAX_VALUE : next.deadline();
    long until = drives ? Math.min(due, timer.nextDue()) : due;
    Thread me = Thread.currentThread();
    changeLeader(me, until);
    try {
      // A task that was scheduled before that write has found no sleeper.
      boolean missed = drives && timer.nextDue() < until;
      return missed ? 0 : sleep(Math.min(until - now, atMost));
    } finally {
      if (leader == me) {
        changeLeader(null, UNKNOWN);
      }
    }
  }

  /** Sleeps without the lock. Returns how long that was. */
  private long sleep(long nanos) {
    Thread me = Thread.currentThread();
    long begin = Ticker.system().nanos();
    idle.add(me);
    lock.unlock();
    try {
      LockSupport.parkNanos(this, nanos); // may return early: a task may leave a permit
    } finally {
      lock.lock();
      idle.remove(me);
    }
    Thread.interrupted(); // meant for a task that has ended
    return Ticker.system().nanos() - begin;
  }

  /** Counts this thread out, unless no other is idle and there are tasks for this one. */
  private boolean countOut() {
    int others = arrived.decrementAndGet(); // each of which runs one task at most
    boolean stays = idle.isEmpty() && tasks.getAsLong() > others;
    if (stays) {
      arrived.incrementAndGet();
    } else {
      threads.remove(Thread.currentThread());
    }
    return !stays;
  }

  /** Counts a task that was cancelled after it was added. */
  void countCancelled() {
    lock.lock();
    try {
      if (++cancelled > KEPT_AT_REST + queue.size() / 2) {
        queue.removeCancelled();
        cancelled = 0;
      }
    } catch (OutOfMemoryError e) {
      // The next one tries again.
    } finally {
      lock.unlock();
    }
  }

  /**
   * Ends the threads, when there are no tasks.
   *
   * @param interrupts whether one may be held up with an ended task
   */
  void close(boolean interrupts) {
    List<Thread> interrupted = List.of();
    lock.lock();
    try {
      closed = true;
      changeLeader(null, UNKNOWN);
      idle.forEach(LockSupport::unpark);
      while (queue.peek() != null) {
        queue.remove();
      }
      if (interrupts) {
        interrupted = List.copyOf(threads);
      }
    } finally {
      lock.unlock();
    }
    for (Thread each : interrupted) {
      if (each != Thread.currentThread()) {
        each.interrupt();
      }
    }
  }
}
