package dev.purgatory.executor;

import dev.purgatory.base.StripedCounter;
import dev.purgatory.executor.WheelTask.Stage;
import dev.purgatory.executor.WheelTask.Wait;
import dev.purgatory.wheel.WheelTimer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The tasks of an executor that have not ended. Thread-safe. */
final class TaskList {

  /*
   * A task that runs once and waits for its deadline is only in the wheels. All others are in linked lists,
   * each with a lock, over which they are spread by their numbers: a task that has left the wheels, that has
   * no delay, or that is periodic. Adding and removing a task take constant time, and nothing is kept of a
   * burst; the table of a hash map never shrinks. No code of the user runs under a lock, and nobody
   * interrupts a thread under it.
   *
   * A task that runs once leaves the wheels by the end of its wait: by a compare-and-set, which the clock or
   * `remove` wins. If it is the clock, the task is nowhere until it is listed. A walk over the wheels may miss it, and
   * others that are about to be put there. So it is repeated until the numbers tell that there are no more: those that
   * have begun, less those that have ended, less those in the lists. The ends are read first, and the beginnings last.
   * Both only grow, and a task is counted as ended after it has left its list. So a task may be missed in
   * the lists and among the ends, which repeats the walk, but not be found in both.
   */

  private static final int MOST_STRIPES = 16;

  private static final class Stripe {
    @Nullable WheelTask<?> first;

    void link(WheelTask<?> task) {
      WheelTask<?> second = first;
      task.next = second;
      if (second != null) {
        second.previous = task;
      }
      first = task;
    }

    void end(WheelTask<?> task) {
      WheelTask<?> before = task.previous;
      WheelTask<?> after = task.next;
      if (before == null) {
        first = after;
      } else {
        before.next = after;
      }
      if (after != null) {
        after.previous = before;
      }
      task.previous = null;
      task.next = null;
      task.stage = Stage.ENDED;
    }
  }

  private final WheelTimer wheels;
  private final Stripe[] stripes;

  /** The number of the next task. */
  private final AtomicLong begun = new AtomicLong();

  private final StripedCounter ended = new StripedCounter();

  TaskList(WheelTimer wheels) {
    this.wheels = wheels;
    int processors = Math.min(MOST_STRIPES, Runtime.getRuntime().availableProcessors());
    stripes = new Stripe[Integer.highestOneBit(2 * processors - 1)];
    for (int i = 0; i < stripes.length; i++) {
      stripes[i] = new Stripe();
    }
  }

  private Stripe stripeOf(WheelTask<?> task) {
    return stripes[(int) task.sequence & (stripes.length - 1)];
  }

  /** Adds a task, and gives it its number. */
  void add(WheelTask<?> task) {
    task.sequence = begun.getAndIncrement();
    if (task.wait == null || task.isPeriodic()) {
      list(task);
    }
  }

  /** Lists a task that runs once when its wait is over. */
  void list(WheelTask<?> task) {
    Stripe stripe = stripeOf(task);
    synchronized (stripe) {
      stripe.link(task);
      task.stage = Stage.WAITING;
    }
  }

  /** Moves a task from one stage to another. Returns false if it is in neither. */
  boolean move(WheelTask<?> task, Stage from, Stage to) {
    synchronized (stripeOf(task)) {
      if (task.stage != from) {
        return false;
      }
      task.stage = to;
      task.runner = to == Stage.RUNNING ? Thread.currentThread() : null;
      return true;
    }
  }

  /**
   * Takes a task off its thread, when nobody is about to interrupt that. Then removes it if it has
   * ended; else it waits.
   */
  @SuppressWarnings("ThreadPriorityCheck") // very short, and very rare
  void endRun(WheelTask<?> task) {
    while (!tryEndRun(task)) {
      Thread.yield();
    }
  }

  private boolean tryEndRun(WheelTask<?> task) {
    Stripe stripe = stripeOf(task);
    synchronized (stripe) {
      if (task.interrupters > 0) {
        return false;
      }
      task.runner = null;
      if (!task.isDone()) {
        task.stage = Stage.WAITING;
        return true;
      }
      stripe.end(task);
    }
    countEnd();
    return true;
  }

  private void countEnd() {
    long unused = ended.add(1);
  }

  /** Removes a task unless it runs, and cancels its wait. Returns its stage before. */
  Stage remove(WheelTask<?> task) {
    if (!task.isPeriodic() && cancelWait(task)) {
      countEnd();
      return Stage.WAITING;
    }
    Stripe stripe = stripeOf(task);
    Stage stage;
    synchronized (stripe) {
      stage = task.stage;
      if (!stage.isBeforeRun()) {
        return stage;
      }
      stripe.end(task);
    }
    countEnd();
    boolean unused = cancelWait(task);
    return stage;
  }

  /** Removes a task that could not be dispatched. Returns false if it runs or has ended. */
  boolean withdraw(WheelTask<?> task) {
    if (task.stage == Stage.NEW && task.wait != null && task.wait.isNew()) {
      countEnd();
      return true;
    }
    return remove(task).isBeforeRun();
  }

  /** Ends the wait of a task. Returns false if it does not wait in the wheels. */
  boolean cancelWait(WheelTask<?> task) {
    return task.wait != null && task.wait.cancel(wheels);
  }

  /** Cancels the wait of a periodic task that was removed before the wait began. */
  void cancelWaitIfEnded(WheelTask<?> task) {
    synchronized (stripeOf(task)) {
      if (task.stage != Stage.ENDED) {
        return;
      }
    }
    boolean unused = cancelWait(task);
  }

  /** Interrupts the thread that runs a task. The task does not return before that. */
  void interrupt(WheelTask<?> task) {
    Thread runner;
    synchronized (stripeOf(task)) {
      runner = task.runner;
      if (runner == null) {
        return;
      }
      task.interrupters++;
    }
    try {
      task.interrupt(runner);
    } finally {
      synchronized (stripeOf(task)) {
        task.interrupters--;
      }
    }
  }

  /** Returns the number of tasks. Zero is exact once the executor accepts no more. */
  long size() {
    long gone = ended.sum();
    return begun.get() - gone;
  }

  /**
   * Returns whether there are tasks other than listed ones of a kind. False is exact, as with
   * {@link #size}.
   */
  boolean hasOthersThan(Predicate<WheelTask<?>> kind) {
    long gone = ended.sum();
    long known = 0;
    for (Stripe stripe : stripes) {
      synchronized (stripe) {
        for (WheelTask<?> task = stripe.first; task != null; task = task.next) {
          known += kind.test(task) ? 1 : 0;
        }
      }
    }
    return begun.get() - gone > known;
  }

  /** Returns the listed tasks in the order of submission. */
  List<WheelTask<?>> listed() {
    return addListed(new ArrayList<>());
  }

  /** Returns the tasks in the order of submission, without some that are submitted meanwhile. */
  List<WheelTask<?>> all(WheelScheduledExecutor executor) {
    List<WheelTask<?>> tasks = new ArrayList<>();
    wheels.forEach(
        entry -> {
          WheelTask<?> task = entry instanceof Wait wait ? wait.taskOf(executor) : null;
          if (task != null) {
            tasks.add(task);
          }
        });
    return addListed(tasks);
  }

  private List<WheelTask<?>> addListed(List<WheelTask<?>> tasks) {
    for (Stripe stripe : stripes) {
      synchronized (stripe) {
        for (WheelTask<?> task = stripe.first; task != null; task = task.next) {
          tasks.add(task);
        }
      }
    }
    tasks.sort(Comparator.comparingLong(task -> task.sequence));
    return tasks;
  }
}
