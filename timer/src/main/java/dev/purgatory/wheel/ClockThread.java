package dev.purgatory.wheel;

import dev.purgatory.base.Mutex;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Drives a timer's clock on a thread of its own: sleeps until an entry is due, and fires it. The
 * thread is started when an entry is scheduled, and ends after a second in which the timer was
 * empty. Thread-safe.
 */
public final class ClockThread implements Runnable {

  /*
   * `running` is written by the clock's thread only: set when it begins, and cleared when it ends. It
   * clears it, and then reads `nextDue` again. A scheduler inserts an entry, and then reads
   * `running`. All these fields are volatile, so at least one of the two sees the other, and no entry is
   * left without a thread.
   *
   * Between its start and its first step, a thread is `thread`, and alive. A thread of the user's factory may
   * die before that step, or after the last one: then it is not alive, and the next scheduler starts
   * another. A thread that ends clears `thread` before `running`, so a scheduler does not take it for one that begins.
   *
   * An error does not end the thread. If it ends by one nevertheless, the fields are cleared by steps that cannot fail.
   *
   * Only the holder of `lock` starts a thread or ends the clock. So a scheduler that finds no thread while
   * another one starts it waits until that has worked or failed. Then it goes on, or starts a thread itself:
   * nobody relies on a start that may still fail.
   *
   * The factory is foreign code, and may wait for a thread that schedules. So it runs before `lock` is
   * taken, on each scheduler that finds no thread; of their threads, one is started, and the others are
   * dropped. Under the lock is only Thread.start. `starters` holds the threads inside the factory or start:
   * what they schedule on the same timer starts no further thread. If that start then fails, such entries
   * wait until something else is scheduled; but the exception is thrown on the same thread.
   *
   * A scheduler also starts the thread before it inserts its entry. So if that fails, the caller gets the
   * exception and nothing is scheduled.
   *
   * Entries may all be cancelled long before they are due. To be woken by each cancelled entry would cost
   * more than the entry. So after a second without work, the thread dozes: it sleeps until an entry is due,
   * or until the next one ends, whose thread wakes it. Then it waits for another second before it looks
   * whether the timer is empty. So ends wake it at most once a second, and nothing wakes it while nothing
   * ends.
   */

  /** How long the thread waits in an empty timer, by default. */
  public static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final WheelTimer timer;
  private final ThreadFactory factory;
  private final long idleNanos;
  private final Set<Thread> starters = ConcurrentHashMap.newKeySet();
  private final Mutex lock = new Mutex();
  private volatile boolean running;

  /** The running thread, or the last one. Null while none was started or the last one has ended. */
  private volatile @Nullable Thread thread;

  /** Created early, so that a bad factory is noticed. Null once a scheduler has taken it. */
  private final AtomicReference<@Nullable Thread> first;

  /**
   * Creates the first thread, without starting it.
   *
   * @throws IllegalStateException if the factory returns null or a started thread
   */
  ClockThread(WheelTimer timer, ThreadFactory factory, long idleNanos) {
    this.timer = timer;
    this.factory = factory;
    this.idleNanos = idleNanos;
    this.first = new AtomicReference<>(newThread(factory, this));
  }

  /**
   * Creates a thread, without starting it.
   *
   * @param factory code of the user
   * @param task runs on the thread
   * @return a new thread
   * @throws IllegalStateException if the factory returns null or a started thread
   */
  public static Thread newThread(ThreadFactory factory, Runnable task) {
    Thread next = factory.newThread(task);
    if (next == null) {
      throw new IllegalStateException("the thread factory returned null");
    }
    if (next.getState() != Thread.State.NEW) {
      throw new IllegalStateException("the thread factory returned a started thread");
    }
    return next;
  }

  /**
   * Starts the thread unless it is running. If another thread starts it, waits for that. If this
   * throws, the next call tries again.
   *
   * @throws IllegalStateException if the factory returns null or a started thread
   */
  void ensureRunning() {
    if (!running && !isBeginning() && starters.add(Thread.currentThread())) {
      try {
        Thread prepared = first.getAndSet(null);
        startUnlessRunning(prepared == null ? newThread(factory, this) : prepared);
      } finally {
        starters.remove(Thread.currentThread());
      }
    }
  }

  private void startUnlessRunning(Thread next) {
    lock.lock();
    try {
      if (!running && !isBeginning()) {
        thread = next;
        if (!timer.isClosed()) {
          next.start();
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** Returns whether a started thread has not begun, provided that none is running. */
  private boolean isBeginning() {
    Thread last = thread;
    return last != null && last.isAlive();
  }

  /** Runs until the timer is idle or closed. Interrupts and errors do not end it. */
  @Override
  public void run() {
    running = true;
    try {
      while (step()) {
        Thread.interrupted(); // only close() ends this thread early
      }
    } finally {
      if (thread == Thread.currentThread() && !timer.isClosed()) {
        thread = null;
        running = false;
      }
    }
  }

  /** Waits, or does what is due. Returns false at the end. Does not throw. */
  private boolean step() {
    try {
      if (timer.isClosed()) {
        return false;
      }
      if (timer.awaitDue(idleNanos)) {
        timer.advance();
      } else if (timer.isEmpty() && end()) {
        return false;
      } else {
        timer.sleep.doze();
      }
    } catch (InterruptedException e) {
      // See run().
    } catch (Throwable e) {
      timer.report(e);
    }
    return true;
  }

  boolean isCurrent() {
    return thread == Thread.currentThread();
  }

  /** Returns false if an entry was scheduled in between. */
  private boolean end() {
    lock.lock();
    try {
      assert running : "the thread of the clock was not started";
      Thread current = thread;
      thread = null;
      running = false;
      if (timer.nextDue() == TimingWheels.NEVER) {
        return true;
      }
      thread = current;
      running = true;
      return false;
    } finally {
      lock.unlock();
    }
  }

  /** Interrupts the thread of a closed timer, unless called on it. */
  void interrupt() {
    Thread last = thread;
    if (last != null && last != Thread.currentThread()) {
      last.interrupt();
    }
  }

  /** Waits for the thread of a closed timer to end, unless called on it. */
  void join(long nanos) {
    Thread last = thread;
    if (last == null || last == Thread.currentThread()) {
      return;
    }
    try {
      TimeUnit.NANOSECONDS.timedJoin(last, nanos);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
