package dev.purgatory.executor;

import static java.util.Objects.requireNonNull;

import dev.purgatory.base.Headroom;
import dev.purgatory.wheel.TimerEntry;
import dev.purgatory.wheel.WheelTimer;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Delayed;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A task of a {@link WheelScheduledExecutor}, its future, and its entry in the wheels. Thread-safe.
 */
class WheelTask<V extends @Nullable Object> extends TimerEntry
    implements RunnableScheduledFuture<V> {

  /*
   * One word, the entry's, says whether the task waits in the wheels, where it is, how it ended, and which thread
   * interrupts it. So a compare-and-set decides each race: a task runs only when it is due, once for each
   * time it is handed over, whatever the executor does with it, and a task that waits is cancelled and leaves
   * the wheels in one step.
   *
   * A task that is done is in the stage ENDED, with two exceptions: if it is cancelled while it runs, the
   * thread that runs it moves it there afterwards, and if it is cancelled between the wheels and the list, the
   * thread that lists it does. That thread holds the task. Who moves it to ENDED clears what refers to objects
   * of the user: the entry of a cancelled task stays in the wheels until it is swept.
   *
   * Only the thread that runs the task, or ends it, writes `work`. The runner writes the outcome there
   * before it changes the state, so who sees the end reads the outcome.
   *
   * A thread that interrupts the runner first counts itself in the state, and the runner does not leave while
   * others are counted. So no other task gets the interrupt.
   *
   * Rejected: a FutureTask with an entry of its own. These are two objects, and a third one for a Runnable, and
   * each end takes two compare-and-sets and each change of the stage a lock.
   */

  // The state, above the bits of the timer. First the stage: where the task is.

  private static final int STAGES = 7 << BITS;

  /** Not listed yet: waits for its only run in the wheels, or for its dispatch. */
  static final int NEW = 0;

  /** Waits in the wheels for its next run, or is about to be queued or handed over. */
  static final int WAITING = 1 << BITS;

  /** Waits among the workers, or is about to. */
  static final int QUEUED = 2 << BITS;

  /** Handed over to the executor, or about to be. */
  static final int HANDED = 3 << BITS;

  /** On a thread. A cancelled task stays in this stage until it returns. */
  static final int RUNNING = 4 << BITS;

  /** Will not run any more, and has left the list, or is about to. */
  private static final int ENDED = 5 << BITS;

  // How it ended: none of them if it has not.

  private static final int NORMAL = 1 << (BITS + 3);
  private static final int FAILED = 2 << (BITS + 3);
  private static final int CANCELLED = 3 << (BITS + 3);
  private static final int OUTCOMES = CANCELLED;

  /** The work is a Callable: its result is the task's result. */
  static final int CALLABLE = 1 << (BITS + 5);

  // Who interrupts it.

  /** Somebody has interrupted the thread that runs the task. */
  private static final int INTERRUPTED = 1 << (BITS + 6);

  /** The unit of the number of threads that are about to interrupt the runner. */
  private static final int INTERRUPTER = 1 << (BITS + 7);

  private static final VarHandle WAITERS;

  static {
    try {
      WAITERS =
          MethodHandles.lookup().findVarHandle(WheelTask.class, "waiters", CountDownLatch.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  // Guarded by the lock of its TaskList.
  @Nullable WheelTask<?> previous;
  @Nullable WheelTask<?> next;

  /** Guarded by the lock of the workers. */
  @Nullable WheelTask<?> follower;

  /** The number of the task. Set before the task is dispatched. */
  long sequence;

  /** On the clock of the timer. Changes only between two runs. Racy: others may read an old one. */
  private long deadline;

  final TaskList tasks;

  /** Null once the task has ended. */
  private @Nullable WheelScheduledExecutor executor;

  /** A Runnable or Callable, and after the end the result or the exception. */
  private @Nullable Object work;

  /** The thread that runs the task. Null until that has begun to run it, and afterwards. */
  private volatile @Nullable Thread runner;

  /** Null while nobody waits for the end. */
  private volatile @Nullable CountDownLatch waiters;

  /**
   * Creates a task.
   *
   * @param work a Runnable, or with the bit {@link #CALLABLE} a Callable
   * @param kind 0 or that bit
   */
  WheelTask(WheelScheduledExecutor executor, Object work, long deadline, int kind) {
    super(executor.dispatcher.dueInWheels(deadline));
    this.executor = executor;
    this.tasks = executor.tasks;
    this.work = work;
    this.deadline = deadline;
    initialState(kind);
  }

  /** A task that runs again and again. */
  static final class Periodic extends WheelTask<@Nullable Object> {

    /** Nanoseconds: positive for a fixed rate, negative for a fixed delay. */
    private final long period;

    Periodic(WheelScheduledExecutor executor, Runnable work, long deadline, long period) {
      super(executor, work, deadline, 0);
      this.period = period;
    }
  }

  /** Prepares the next wait of a periodic task: moves the deadline to the next run. */
  final void moveOn(WheelScheduledExecutor owner, long now) {
    long period = ((Periodic) this).period;
    deadline =
        period > 0 ? WheelTimer.deadline(deadline, period) : WheelTimer.deadline(now, -period);
    rearm(owner.dispatcher.dueInWheels(deadline));
  }

  @Override
  public final long deadline() {
    return deadline;
  }

  @Override
  public final boolean isPeriodic() {
    return this instanceof Periodic;
  }

  final boolean isRunning() {
    return stage(state()) == RUNNING;
  }

  private static int stage(int state) {
    return state & STAGES;
  }

  private static int in(int stage, int state) {
    return (state & ~STAGES) | stage;
  }

  private static boolean isDone(int state) {
    return (state & OUTCOMES) != 0;
  }

  @Override
  public final boolean isDone() {
    return isDone(state());
  }

  @Override
  public final boolean isCancelled() {
    return (state() & OUTCOMES) == CANCELLED;
  }

  /** Moves from one stage to another. Returns false if the task is elsewhere, or is done. */
  final boolean move(int from, int to) {
    for (; ; ) {
      int now = state();
      if (stage(now) != from || isDone(now)) {
        return false;
      }
      if (casState(now, in(to, now))) {
        return true;
      }
    }
  }

  @Override
  public final void onTimeout() {
    WheelScheduledExecutor owner = executor; // null if a periodic task was cancelled
    if (owner != null) {
      owner.due(this);
    }
  }

  /** Runs the task if it is due; otherwise does nothing. */
  @Override
  public final void run() {
    WheelScheduledExecutor owner = executor; // racy: if it has ended, it does not begin
    if (owner == null || !owner.begin(this)) {
      return;
    }
    runner = Thread.currentThread();
    Object result = null;
    int outcome = NORMAL;
    try {
      result = call(work);
    } catch (Throwable e) {
      result = e;
      outcome = FAILED;
      onFailure(e);
    } finally {
      leave(owner, outcome, result);
    }
  }

  private @Nullable Object call(@Nullable Object todo) throws Exception {
    if ((state() & CALLABLE) != 0) {
      return ((Callable<?>) requireNonNull(todo)).call();
    }
    ((Runnable) requireNonNull(todo)).run();
    return null;
  }

  /** Ends the task with an exception, unless it runs, has ended, or waits in the wheels. */
  final void fail(Throwable cause) {
    WheelScheduledExecutor owner = executor; // racy: if it has ended, it does not move
    if (owner != null && (move(WAITING, RUNNING) || move(QUEUED, RUNNING))) {
      runner = Thread.currentThread();
      try {
        onFailure(cause);
      } finally {
        leave(owner, FAILED, cause);
      }
    }
  }

  /** Called when the task has failed, before it ends. */
  void onFailure(Throwable cause) {}

  /**
   * Called when the task was cancelled.
   *
   * @param todo what it runs or would have run; null if it has just returned
   */
  void onCancelled(@Nullable Object todo) {}

  /** Ends a run, and the task, unless that is periodic, has not failed, and was not cancelled. */
  @SuppressWarnings("ThreadPriorityCheck") // very short, and very rare
  private void leave(WheelScheduledExecutor owner, int outcome, @Nullable Object result) {
    boolean again = outcome == NORMAL && isPeriodic();
    if (!again) {
      work = result;
    }
    int before;
    int after;
    do {
      while ((before = state()) >= INTERRUPTER) {
        Thread.yield();
      }
      after = before & ~INTERRUPTED;
      if (isDone(before)) {
        after = in(ENDED, after);
      } else {
        after = again ? in(WAITING, after) : in(ENDED, after) | outcome;
      }
    } while (!casState(before, after));
    runner = null;
    if ((before & INTERRUPTED) != 0) {
      Thread.interrupted(); // meant for this task, not for the next
    }
    if (isDone(after)) {
      ended(RUNNING);
    } else {
      owner.again(this);
    }
  }

  @Override
  public final boolean cancel(boolean mayInterruptIfRunning) {
    Headroom.ensure();
    for (int now = state(); !isDone(now); now = state()) {
      Object todo = work;
      if (isHeld(now) ? tryCancelHeld(now, mayInterruptIfRunning) : tryEnd(now)) {
        onCancelled(todo);
        return true;
      }
    }
    return false;
  }

  /** Cancels the task unless it is held: then it runs, or its holder lists it. */
  final boolean cancelBeforeRun() {
    Object todo = work;
    boolean cancelled = withdraw();
    if (cancelled) {
      onCancelled(todo);
    }
    return cancelled;
  }

  /** Ends a task that could not be dispatched. Returns false if it is held or has ended. */
  final boolean withdraw() {
    for (int now = state(); !isDone(now) && !isHeld(now); now = state()) {
      if (tryEnd(now)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns whether a thread runs the task, or lists it because it has left the wheels. That thread
   * ends it.
   */
  private static boolean isHeld(int state) {
    int stage = stage(state);
    boolean left = (state & (BEGUN | SCHEDULED)) == BEGUN;
    return stage == RUNNING || (stage == NEW && left);
  }

  private boolean tryEnd(int now) {
    if (!casState(now, (in(ENDED, now) & ~SCHEDULED) | CANCELLED)) {
      return false;
    }
    if ((now & SCHEDULED) != 0) {
      tasks.wheels.countEnd(this);
    }
    ended(stage(now));
    return true;
  }

  private boolean tryCancelHeld(int now, boolean mayInterrupt) {
    boolean interrupts = mayInterrupt && stage(now) == RUNNING;
    if (!casState(now, (interrupts ? interrupting(now) : now) | CANCELLED)) {
      return false;
    }
    try {
      if (interrupts) {
        interruptRunner();
      }
    } finally {
      wake();
    }
    return true;
  }

  /** Ends a task that was cancelled before it was listed. */
  final void endUnlisted() {
    int before = setBits(ENDED); // nobody else moves it
    assert isDone(before) && stage(before) == NEW : this;
    ended(NEW);
  }

  /** Called once, when the task is in the stage ENDED. */
  private void ended(int before) {
    WheelScheduledExecutor owner = requireNonNull(executor);
    executor = null;
    if (isCancelled()) {
      work = null;
    }
    wake();
    tasks.remove(this, before);
    owner.ended(before);
  }

  /** Interrupts the thread that runs the task. The task does not return before that. */
  final void interrupt() {
    for (int now = state(); stage(now) == RUNNING; now = state()) {
      if (casState(now, interrupting(now))) {
        interruptRunner();
        return;
      }
    }
  }

  private static int interrupting(int state) {
    return (state | INTERRUPTED) + INTERRUPTER;
  }

  @SuppressWarnings("ThreadPriorityCheck") // very short, and very rare
  private void interruptRunner() {
    try {
      Thread thread;
      while ((thread = runner) == null) {
        Thread.yield(); // it has just begun
      }
      thread.interrupt();
    } finally {
      for (int now = state(); !casState(now, now - INTERRUPTER); now = state()) {
        // Another thread has changed it.
      }
    }
  }

  private void wake() {
    CountDownLatch waiting = waiters;
    if (waiting != null) {
      waiting.countDown();
    }
  }

  @Override
  public final V get() throws InterruptedException, ExecutionException {
    if (!isDone()) {
      latch().await();
    }
    return outcome();
  }

  @Override
  public final V get(long timeout, TimeUnit unit)
      throws InterruptedException, ExecutionException, TimeoutException {
    requireNonNull(unit, "unit");
    if (!isDone() && !latch().await(timeout, unit) && !isDone()) {
      throw new TimeoutException();
    }
    return outcome();
  }

  private CountDownLatch latch() {
    CountDownLatch made = new CountDownLatch(1);
    boolean isFirst = WAITERS.compareAndSet(this, null, made);
    CountDownLatch latch = isFirst ? made : requireNonNull(waiters);
    if (isDone()) {
      latch.countDown(); // who ended the task has perhaps found no latch
    }
    return latch;
  }

  @SuppressWarnings({"unchecked", "NullAway"}) // the result of a Callable<V>, or null
  private V outcome() throws ExecutionException {
    int outcome = state() & OUTCOMES;
    if (outcome == CANCELLED) {
      throw new CancellationException();
    }
    if (outcome == FAILED) {
      throw new ExecutionException((Throwable) work);
    }
    return (V) work;
  }

  @Override
  public final long getDelay(TimeUnit unit) {
    return unit.convert(deadline - tasks.wheels.now(), TimeUnit.NANOSECONDS);
  }

  /** Compares the deadlines. If they are equal, the task that was submitted first is less. */
  @Override
  public final int compareTo(Delayed other) {
    if (other == this) {
      return 0;
    }
    if (other instanceof WheelTask<?> task && task.tasks == tasks) {
      int order = Long.compare(deadline, task.deadline);
      return order == 0 ? Long.compare(sequence, task.sequence) : order;
    }
    return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
  }

  /** Describes the task for logs: whether it is done, and else what it runs. */
  @Override
  public final String toString() {
    String status =
        switch (state() & OUTCOMES) {
          case NORMAL -> "Completed normally";
          case FAILED -> "Completed exceptionally: " + work;
          case CANCELLED -> "Cancelled";
          default -> "Not completed, task = " + work;
        };
    return super.toString() + "[" + status + "]";
  }
}
