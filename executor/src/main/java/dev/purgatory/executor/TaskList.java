package dev.purgatory.executor;

import dev.purgatory.executor.WheelTask.Stage;
import dev.purgatory.executor.WheelTask.Wait;
import dev.purgatory.wheel.WheelTimer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The tasks of an executor that have not ended. Thread-safe. */
final class TaskList {

  /*
   * Linked lists, each with a lock, over which tasks are spread by their sequence number. Adding and
   * removing a task take constant time, and nothing is kept of a burst; the table of a hash map never
   * shrinks. No code of the user runs under a lock, and nobody interrupts a thread under it.
   */

  private static final int MOST_STRIPES = 16;

  private static final class Stripe {
    @Nullable WheelTask<?> first;
    int size;

    void link(WheelTask<?> task) {
      WheelTask<?> second = first;
      task.next = second;
      if (second != null) {
        second.previous = task;
      }
      first = task;
      size++;
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
      size--;
    }
  }

  private final WheelTimer wheels;
  private final Stripe[] stripes;

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

  /**
   * Adds a task.
   *
   * @param wait the wait that is about to begin for it, which is cancelled when the task is
   *     removed. Null if the task does not wait for a deadline
   */
  void add(WheelTask<?> task, @Nullable Wait wait) {
    Stripe stripe = stripeOf(task);
    synchronized (stripe) {
      stripe.link(task);
      task.stage = Stage.WAITING;
      task.wait = wait;
    }
  }

  /** Sets the next wait of a task. Returns false if the task has been removed. */
  boolean setWait(WheelTask<?> task, Wait wait) {
    synchronized (stripeOf(task)) {
      if (task.stage == Stage.ENDED) {
        return false;
      }
      task.wait = wait;
      return true;
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
      if (task.isDone()) {
        stripe.end(task);
      } else {
        task.stage = Stage.WAITING;
      }
      return true;
    }
  }

  /** Removes a task unless it runs, and cancels its wait. Returns its stage before. */
  Stage remove(WheelTask<?> task) {
    Stripe stripe = stripeOf(task);
    Wait wait;
    Stage stage;
    synchronized (stripe) {
      stage = task.stage;
      if (!stage.isBeforeRun()) {
        return stage;
      }
      stripe.end(task);
      wait = task.wait;
      task.wait = null;
    }
    if (wait != null) {
      wait.cancel(wheels);
    }
    return stage;
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
    long size = 0;
    for (Stripe stripe : stripes) {
      synchronized (stripe) {
        size += stripe.size;
      }
    }
    return size;
  }

  /** Returns the tasks in the order of submission. */
  List<WheelTask<?>> all() {
    List<WheelTask<?>> tasks = new ArrayList<>();
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
