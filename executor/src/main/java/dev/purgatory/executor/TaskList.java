package dev.purgatory.executor;

import dev.purgatory.base.StripedCounter;
import dev.purgatory.base.Stripes;
import dev.purgatory.wheel.WheelTimer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
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
   * others that are about to be put there. So it is repeated until the numbers tell that there are no more: begun tasks,
   * less ended ones, less listed ones. The ends are read first, and the beginnings last.
   * Both only grow, and a task is counted as ended after it has left its list. So a task may be missed in
   * the lists and among the ends, which repeats the walk, but not be found in both.
   */

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

    void unlink(WheelTask<?> task) {
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
    }
  }

  final WheelTimer wheels;
  private final Stripe[] stripes = new Stripe[Stripes.COUNT];

  /** The place of the next number. Its neighbours keep other data off its cache lines. */
  private static final int NEXT = 16;

  /** The number of the next task, at {@link #NEXT}. */
  private final AtomicLongArray numbers = new AtomicLongArray(2 * NEXT);

  private final StripedCounter ended = new StripedCounter();

  TaskList(WheelTimer wheels) {
    this.wheels = wheels;
    for (int i = 0; i < stripes.length; i++) {
      stripes[i] = new Stripe();
    }
  }

  private Stripe stripeOf(WheelTask<?> task) {
    return stripes[(int) task.sequence & (stripes.length - 1)];
  }

  /**
   * Adds a task, and gives it its number.
   *
   * @param waits whether it is about to wait in the wheels for its only run
   */
  void add(WheelTask<?> task, boolean waits) {
    task.sequence = numbers.getAndIncrement(NEXT);
    if (!waits) {
      list(task);
    }
  }

  /** Lists a new task, or one that has left the wheels. Returns false if it was cancelled. */
  boolean list(WheelTask<?> task) {
    Stripe stripe = stripeOf(task);
    synchronized (stripe) {
      if (!task.move(WheelTask.NEW, WheelTask.WAITING)) {
        return false;
      }
      stripe.link(task);
      return true;
    }
  }

  /** Removes a task that has ended, after the stage in which it was before. */
  void remove(WheelTask<?> task, int before) {
    if (before != WheelTask.NEW) {
      Stripe stripe = stripeOf(task);
      synchronized (stripe) {
        stripe.unlink(task);
      }
    }
    ended.add(1);
  }

  /** Returns the number of tasks. Zero is exact once the executor accepts no more. */
  long size() {
    long gone = ended.sum();
    return numbers.get(NEXT) - gone;
  }

  /**
   * Returns whether there are tasks other than listed ones of a kind. False is exact, as with
   * {@link #size}.
   */
  boolean hasOthersThan(Predicate<WheelTask<?>> kind) {
    long gone = ended.sum();
    long known = listed().stream().filter(kind).count();
    return numbers.get(NEXT) - gone > known;
  }

  /** Returns the listed tasks, in any order. */
  List<WheelTask<?>> listed() {
    return addListed(new ArrayList<>());
  }

  /** Returns the tasks, in any order, without some that are submitted during the call. */
  List<WheelTask<?>> all() {
    List<WheelTask<?>> tasks = new ArrayList<>();
    wheels.forEach(
        entry -> {
          if (entry instanceof WheelTask<?> task && task.tasks == this && !task.isDone()) {
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
    return tasks;
  }
}
