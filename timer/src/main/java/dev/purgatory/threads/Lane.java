package dev.purgatory.threads;

import dev.purgatory.base.ForeignCode;
import dev.purgatory.base.LastResort;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A queue of tasks that helper threads run: one after another, in their order, as long as none of
 * them blocks. While one does, another thread goes on with the next tasks. Thread-safe.
 */
public final class Lane implements Executor {

  /*
   * `running` counts the turns that were given or asked for. A task that finds none asks for one. If a turn
   * is there but no task has begun for ten milliseconds although some wait, a look asks for another: the
   * looks are alarms of the timer, and there are some only while tasks wait behind a running one. A lane
   * that hurries does not wait for looks: each task asks for a turn, up to the most. That is a lane whose
   * tasks wait for each other, or whose owner closes.
   *
   * The tasks are in a ring that grows before a task is added: so for lack of memory, a task is refused and
   * nothing is lost. Tasks of operations that have ended are dropped when the ring is full of them, and when
   * `sweep` is called: so a task that blocks keeps no ended operation behind it. A lane that runs empty gives
   * the ring of a burst back.
   */

  /** A task that may become unnecessary while it waits. */
  public interface Task extends Runnable {

    /**
     * Returns whether the task need not run any more.
     *
     * @return true for good
     */
    boolean isObsolete();
  }

  /** How long tasks wait behind one that blocks, before another thread goes on with them. */
  private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /** The most tasks of a turn, if other lanes wait. */
  private static final int TURN = 64;

  private static final Consumer<Runnable> RUN = Runnable::run;
  private static final LastResort FAILED = LastResort.handler("A task threw");

  static {
    runContained(() -> {}); // the first task of a JVM may run without memory
  }

  private static final int LEAST = 16;

  /** The longest ring that an empty lane keeps, so that small bursts allocate nothing. */
  private static final int MOST_AT_REST = 64;

  private final Helpers helpers;
  private final int most;
  private final Runnable alarm = this::onAlarm;

  /** The name of a thread while it runs tasks of this lane. */
  final String name;

  /** The loader of such a thread. */
  final @Nullable ClassLoader contextClassLoader;

  /** The lane behind this one, and the turns that it waits for. Guarded by the lock of helpers. */
  @Nullable Lane behind;

  int turns;

  // Guarded by this, under which no foreign code runs.
  private @Nullable Runnable[] ring = new Runnable[LEAST];
  private int head;
  private int size;
  private int running;
  private boolean watched;
  private boolean hurries;
  private boolean closed;
  private long begun;
  private long seen;

  Lane(Helpers helpers, String name, int most, @Nullable ClassLoader contextClassLoader) {
    this.helpers = helpers;
    this.name = name;
    this.most = most;
    this.contextClassLoader = contextClassLoader;
  }

  /**
   * Adds a task. Does not wait, and starts no thread unless the timer has none. After {@link
   * #close}, runs it on this thread, unless that is the clock's.
   *
   * @param task its exceptions are logged
   */
  @Override
  public void execute(Runnable task) {
    if (!tryAdd(task)) {
      runContained(task);
    }
  }

  private boolean tryAdd(Runnable task) {
    boolean ask;
    boolean watch;
    synchronized (this) {
      if (closed && !helpers.timer.isClock()) {
        return false;
      }
      if (size == ring.length) {
        makeRoom();
      }
      ring[(head + size++) & (ring.length - 1)] = task;
      ask = (running == 0 || hurries) && tryAsk();
      watch = !ask && beginWatch();
    }
    goOn(ask, watch);
    return true;
  }

  /** Requires the lock. */
  private boolean beginWatch() {
    if (size == 0 || watched || running >= most) {
      return false;
    }
    watched = true;
    seen = begun;
    return true;
  }

  /** Does what a step under the lock has found to be needed: asks for a turn, sets the alarm. */
  private void goOn(boolean ask, boolean watch) {
    if (ask) {
      helpers.dispatch(this);
    }
    if (watch && !helpers.lookAfter(PATIENCE_NANOS, alarm)) {
      onAlarm();
    }
  }

  private void onAlarm() {
    look(/* fromAlarm= */ true);
  }

  /** Asks for another turn if no task has begun since the last look. */
  private void look(boolean fromAlarm) {
    boolean ask;
    boolean watch = false;
    synchronized (this) {
      ask = begun == seen && tryAsk();
      seen = begun;
      if (fromAlarm) {
        watched = false;
        watch = beginWatch();
      }
    }
    goOn(ask, watch);
  }

  /** Counts a further turn, which the caller then asks for. Requires the lock. */
  private boolean tryAsk() {
    assert Thread.holdsLock(this) && running >= 0;
    boolean ask = size > 0 && running < most;
    if (ask) {
      running++;
    }
    return ask;
  }

  /**
   * Gives the lane its turn on this thread, and asks for another if tasks are left. Does not throw.
   */
  void run() {
    boolean hasEnded = false;
    try {
      hasEnded = runTurn();
    } catch (Throwable e) {
      FAILED.accept(e);
    } finally {
      if (!hasEnded) {
        helpers.dispatch(this);
      }
    }
  }

  /** Runs some tasks. Returns whether none is left, so that the turn has ended. */
  private boolean runTurn() {
    for (int i = 1; ; i++) {
      Runnable task;
      synchronized (this) {
        task = poll();
        if (task == null) {
          running--;
          if (running == 0) {
            notifyAll();
          }
          return true;
        }
        begun++;
      }
      runContained(task);
      if (i % TURN == 0 && helpers.isBusy()) {
        return false;
      }
    }
  }

  private static void runContained(Runnable task) {
    ForeignCode.call(RUN, task, FAILED);
  }

  private @Nullable Runnable poll() {
    while (size > 0) {
      Runnable task = ring[head];
      ring[head] = null;
      head = (head + 1) & (ring.length - 1);
      size--;
      if (!isObsolete(task)) {
        return task;
      }
    }
    if (ring.length > MOST_AT_REST) {
      shrinkTo(LEAST); // gives back the memory of a burst, when its last task has run
    }
    return null;
  }

  private void shrinkTo(int length) {
    try {
      moveTo(length);
    } catch (OutOfMemoryError e) {
      // The ring stays as it is until the next time.
    }
  }

  private static boolean isObsolete(@Nullable Runnable task) {
    return task instanceof Task each && each.isObsolete();
  }

  /** Makes room for at least one more task. */
  private void makeRoom() {
    sweep();
    if (size > ring.length / 2) {
      moveTo(2 * ring.length);
    }
  }

  /** Drops the tasks that are obsolete. */
  public void sweep() {
    synchronized (this) {
      int kept = 0;
      for (int i = 0; i < size; i++) {
        Runnable task = ring[(head + i) & (ring.length - 1)];
        if (!isObsolete(task)) {
          ring[(head + kept++) & (ring.length - 1)] = task;
        }
      }
      for (int i = kept; i < size; i++) {
        ring[(head + i) & (ring.length - 1)] = null;
      }
      size = kept;
      if (ring.length > LEAST && size < ring.length / 8) {
        shrinkTo(Math.max(LEAST, 2 * Integer.highestOneBit(size + 1)));
      }
    }
  }

  private void moveTo(int length) {
    @Nullable Runnable[] next = new Runnable[length]; // may fail, so before anything changes
    for (int i = 0; i < size; i++) {
      next[i] = ring[(head + i) & (ring.length - 1)];
    }
    ring = next;
    head = 0;
  }

  /**
   * Returns the number of waiting tasks.
   *
   * @return 0 or more, including obsolete ones
   */
  public int size() {
    synchronized (this) {
      return size;
    }
  }

  /** Returns the length of the ring, for tests. */
  int capacity() {
    synchronized (this) {
      return ring.length;
    }
  }

  /**
   * Waits until no task waits or runs. Goes on with another thread if a task blocks, also if the
   * timer is not advanced. If the caller is interrupted, the wait ends and the interrupt status
   * stays set.
   *
   * @param nanos how long to wait at most
   * @return whether no task waits or runs
   */
  public boolean await(long nanos) {
    long begin = System.nanoTime();
    for (long left; !isIdle() && (left = nanos - (System.nanoTime() - begin)) > 0; ) {
      try {
        awaitChange(Math.min(left, PATIENCE_NANOS));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        break;
      }
      look(/* fromAlarm= */ false);
      helpers.startAll(); // the clock may be busy
    }
    return isIdle();
  }

  private void awaitChange(long nanos) throws InterruptedException {
    synchronized (this) {
      if (running > 0) {
        TimeUnit.NANOSECONDS.timedWait(this, nanos + 1_000_000);
      }
    }
  }

  private boolean isIdle() {
    synchronized (this) {
      return running == 0;
    }
  }

  /** Has further tasks run on the threads that add them. Those that wait still run here. */
  public void close() {
    synchronized (this) {
      closed = true;
    }
  }

  /**
   * Has all tasks, from now on, run on as many threads as may run at a time. For tasks that need
   * not wait for each other, and for an owner that closes.
   */
  public void hurry() {
    boolean ask;
    do {
      synchronized (this) {
        hurries = true;
        ask = running < size && tryAsk();
      }
      if (ask) {
        helpers.dispatch(this);
      }
    } while (ask);
  }
}
