package dev.purgatory;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A daemon thread that runs tasks one after another, started with the first of them. Once it is
 * closed, the thread at hand runs them.
 */
final class Worker implements Executor {
  private static final long CLOSE_TIMEOUT_SECONDS = 5;

  private final String threadName;
  private final ThreadPoolExecutor pool;
  private volatile @Nullable Thread thread;

  Worker(String threadName) {
    this.threadName = threadName;
    this.pool =
        new ThreadPoolExecutor(
            1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), this::newThread);
  }

  private Thread newThread(Runnable tasks) {
    Thread worker = new Thread(null, tasks, threadName, 0, /* inheritThreadLocals= */ false);
    worker.setDaemon(true);
    thread = worker;
    return worker;
  }

  @Override
  public void execute(Runnable task) {
    try {
      pool.execute(task);
    } catch (RejectedExecutionException e) {
      task.run();
      runWhatIsLeft();
    }
  }

  /**
   * A pool that is shut down while it starts its first thread may drop that thread, and forget what
   * others have queued for it meanwhile. Whoever is rejected then finds it here.
   */
  private void runWhatIsLeft() {
    for (Runnable left; (left = pool.getQueue().poll()) != null; ) {
      left.run();
    }
    pool.purge(); // has the pool look whether it has ended, for close() not to wait in vain
  }

  /**
   * Waits for the tasks that were handed over, unless called by one of them, and ends the thread.
   * After five seconds what runs is interrupted, and the rest is left to run without being waited
   * for. An interrupt of the caller ends the wait, and is kept.
   */
  void close() {
    pool.shutdown();
    Thread worker = thread;
    if (worker == null || worker == Thread.currentThread()) {
      return;
    }
    try {
      if (!pool.awaitTermination(CLOSE_TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
        worker.interrupt();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
