package dev.purgatory.threads;

import dev.purgatory.base.LastResort;
import dev.purgatory.base.Threads;
import dev.purgatory.wheel.TaskEntry.Alarm;
import dev.purgatory.wheel.WheelTimer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The daemon threads that run user code for everything on one timer: started on demand, few, and
 * shared by all {@linkplain Lane lanes}. A thread ends after a second without work. Thread-safe.
 */
public final class Helpers {

  /*
   * A lane that has tasks asks for turns. A turn is one thread that runs tasks of the lane, up to a number,
   * or until none is left. Lanes that wait for a turn are a linked list in the order in which they asked; a
   * lane is on it at most once, with the number of turns that it waits for. So asking allocates nothing, and
   * cannot fail for lack of memory.
   *
   * A thread that completes, signals or cancels never starts a thread: that takes from 50 us to
   * milliseconds. If it finds no idle thread, it schedules an alarm that is due at once, and the clock's
   * thread starts one. The clock's thread and the helpers start threads directly; so does every thread if
   * the timer has no thread of its own, or is closed. Without memory for a thread, the one in `reserve` starts, and
   * does not end before it could make another: so some thread is left that can wait for memory. A thread that cannot start the first one runs the tasks itself,
   * as the last resort.
   *
   * The lock is a monitor, because waiting for it and on it allocates nothing. Nothing blocks or calls out
   * while it is held, so a virtual thread that waits for it pins its carrier for moments only.
   *
   * A pool for each purgatory was rejected: 2,000 purgatories with an operation a second each had 2,000
   * threads. An unbounded pool was rejected, too: a burst of slow answers started one thread for each.
   */

  private static final String NAME = "purgatory-helper";

  /** The most threads of a timer. */
  static final int MOST = 64;

  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final LastResort FAILED = LastResort.handler("A helper thread failed");
  private static final LastResort NOT_WATCHED = LastResort.handler("A busy lane is not watched");
  private static final LastResort NOT_STARTED = LastResort.handler("A helper thread cannot start");

  static {
    isHelper(); // loads the class of helpers, while there is memory
  }

  final WheelTimer timer;
  private final Runnable starter = this::start;
  private final AtomicReference<@Nullable Helper> reserve =
      new AtomicReference<>(Threads.make(Helper::new));
  private final Object lock = new Object();

  // Guarded by the lock.
  private @Nullable Lane first;
  private @Nullable Lane last;
  private int turns;
  private int idle;
  private int threads;
  private int starting;

  /**
   * Creates a pool without threads.
   *
   * @param timer starts the threads
   */
  public Helpers(WheelTimer timer) {
    this.timer = timer;
    timer.closeListener(this::startAll);
  }

  /**
   * Creates a lane whose tasks run one after another, until one blocks.
   *
   * @param name the name of a thread while it runs tasks of the lane
   * @param most the most threads that run tasks of the lane at a time, if some block
   * @return a new lane, with the context class loader of the current thread
   */
  public Lane lane(String name, int most) {
    return new Lane(this, name, most, Thread.currentThread().getContextClassLoader());
  }

  /**
   * Returns whether the current thread is a helper of any timer.
   *
   * @return true on a thread that runs tasks of a lane
   */
  public static boolean isHelper() {
    return Thread.currentThread() instanceof Helper;
  }

  /** Gives the lane a turn as soon as a thread is free. Does not throw. */
  void dispatch(Lane lane) {
    boolean start;
    synchronized (lock) {
      turns++;
      if (lane.turns++ == 0) {
        link(lane);
      }
      start = turns > idle + starting && threads + starting < MOST;
      if (start) {
        starting++;
      } else if (idle > 0) {
        lock.notify();
      }
    }
    if (start) {
      startSoon();
    }
  }

  /** Returns whether a lane waits for a thread: then one that had its turn asks again. */
  boolean isBusy() {
    synchronized (lock) {
      return turns > idle;
    }
  }

  /** Schedules a look after some time. Returns false if that fails. Does not throw. */
  boolean lookAfter(long nanos, Runnable look) {
    try {
      long now = timer.now();
      return timer.trySchedule(new Alarm(WheelTimer.deadline(now, nanos), look), now);
    } catch (Throwable e) {
      NOT_WATCHED.accept(e);
      return false;
    }
  }

  /** Requires the lock. */
  private void link(Lane lane) {
    assert Thread.holdsLock(lock);
    if (last == null) {
      first = lane;
    } else {
      last.behind = lane;
    }
    last = lane;
  }

  /** Returns the lane whose turn it is, or null. Requires the lock. */
  private @Nullable Lane poll() {
    assert Thread.holdsLock(lock) && (first == null) == (turns == 0);
    Lane lane = first;
    if (lane != null) {
      first = lane.behind;
      last = first == null ? null : last;
      lane.behind = null;
      turns--;
      if (--lane.turns > 0) {
        link(lane);
      }
    }
    return lane;
  }

  private void startSoon() {
    if (isHelper() || !timer.hasThread() || timer.isClock() || !lookAfter(0, starter)) {
      start();
    } // else the clock's thread starts it: callers start no thread
  }

  /** Starts the threads that the clock would have started, on a thread that may do so. */
  void startAll() {
    int left;
    synchronized (lock) {
      left = starting;
    }
    for (int i = 0; i < left; i++) {
      start();
    }
  }

  private void start() {
    synchronized (lock) {
      if (starting == 0) {
        return; // started by startAll()
      }
      starting--;
      if (turns <= idle || threads >= MOST) {
        return;
      }
      threads++;
    }
    try {
      newHelper().start();
    } catch (Throwable e) {
      NOT_STARTED.accept(e);
      runHere();
    }
  }

  private Helper newHelper() {
    try {
      return Threads.make(Helper::new);
    } catch (OutOfMemoryError e) {
      Helper last = reserve.getAndSet(null);
      if (last == null) {
        throw e;
      }
      return last;
    }
  }

  /** Returns whether a thread is in reserve, and makes it if there is none and memory suffices. */
  private boolean hasReserve() {
    try {
      if (reserve.get() == null) {
        reserve.set(Threads.make(Helper::new)); // racy: one too many is dropped
      }
      return true;
    } catch (OutOfMemoryError e) {
      return false;
    }
  }

  /** Runs the lanes here, in place of a thread that cannot start, unless there are others. */
  private void runHere() {
    for (Lane lane; (lane = pollAlone()) != null; ) {
      lane.run();
    }
  }

  private @Nullable Lane pollAlone() {
    synchronized (lock) {
      Lane lane = threads > 1 ? null : poll();
      if (lane == null) {
        threads--;
      }
      return lane;
    }
  }

  /** Returns the next lane; null if there was none for a second. */
  private @Nullable Lane take(boolean mayEnd) {
    synchronized (lock) {
      long end = System.nanoTime() + IDLE_NANOS;
      idle++;
      try {
        for (long left; turns == 0 && (left = end - System.nanoTime()) > 0; ) {
          TimeUnit.NANOSECONDS.timedWait(lock, left + 1_000_000);
        }
      } catch (InterruptedException e) {
        // As if nothing came for a second.
      } finally {
        idle--;
      }
      Lane lane = poll();
      if (lane == null && mayEnd) {
        threads--;
      }
      return lane;
    }
  }

  /** A thread that gives turns to lanes. */
  private final class Helper extends Thread {
    Helper() {
      super(null, null, NAME, 0, /* inheritThreadLocals= */ false);
    }

    @Override
    public void run() {
      boolean isIdle = false;
      while (!isIdle) {
        try {
          isIdle = !runNext();
        } catch (Throwable e) { // for want of memory: it is still counted, so it goes on
          FAILED.accept(e);
        }
      }
    }

    /** Gives the next lane its turn. Returns false if there was none for a second. */
    private boolean runNext() {
      Thread.interrupted(); // nobody ends this thread early
      boolean mayEnd = hasReserve();
      Lane lane = take(mayEnd);
      if (lane == null) {
        return !mayEnd;
      }
      try {
        setName(lane.name);
        setContextClassLoader(lane.contextClassLoader);
      } finally {
        lane.run();
      }
      setContextClassLoader(null);
      setName(NAME);
      return true;
    }
  }
}
