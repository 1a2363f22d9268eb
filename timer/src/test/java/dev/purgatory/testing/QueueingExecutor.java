package dev.purgatory.testing;

import java.util.ArrayDeque;
import java.util.concurrent.Executor;

/** Queues tasks until a test runs them. */
public final class QueueingExecutor implements Executor {
  private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();

  @Override
  public synchronized void execute(Runnable task) {
    tasks.add(task);
  }

  private synchronized Runnable poll() {
    Runnable task = tasks.poll();
    return task == null ? () -> {} : task;
  }

  public synchronized int size() {
    return tasks.size();
  }

  /** Runs the queued tasks, including tasks that they submit. */
  public void runAll() {
    while (size() > 0) {
      poll().run();
    }
  }
}
