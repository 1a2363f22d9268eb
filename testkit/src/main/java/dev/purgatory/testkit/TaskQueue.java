package dev.purgatory.testkit;

import static java.util.Objects.requireNonNull;

import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Queues tasks until the time is driven. Thread-safe; the lock is not held while a task runs. */
final class TaskQueue implements Executor {

  /** How many tasks may run without the time moving. */
  static final int MOST_AT_ONCE = 1_000_000;

  private final Consumer<Throwable> errorHandler;
  private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();

  TaskQueue(Consumer<Throwable> errorHandler) {
    this.errorHandler = errorHandler;
  }

  @Override
  public void execute(Runnable task) {
    requireNonNull(task, "task");
    synchronized (tasks) {
      tasks.add(task);
    }
  }

  int size() {
    synchronized (tasks) {
      return tasks.size();
    }
  }

  /**
   * Runs the queued tasks, and all tasks that they queue.
   *
   * @return how many tasks ran
   */
  int runAll() {
    int ran = 0;
    for (Runnable task; (task = poll()) != null; ran++) {
      if (ran == MOST_AT_ONCE) {
        throw new AssertionError(
            "the executor ran " + ran + " tasks without the time moving: the last is " + task);
      }
      try {
        task.run();
      } catch (Throwable e) {
        errorHandler.accept(e);
      }
    }
    return ran;
  }

  private @Nullable Runnable poll() {
    synchronized (tasks) {
      return tasks.poll();
    }
  }
}
