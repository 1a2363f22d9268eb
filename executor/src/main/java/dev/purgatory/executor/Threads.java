package dev.purgatory.executor;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Threads that run queued jobs. They are started on demand, and end after a second without work.
 * Thread-safe.
 */
final class Threads implements Executor {

  /*
   * Removing a job from the queue of a ThreadPoolExecutor takes a search. So cancelled ones are removed
   * together, when there may be more of them than others. Each costs a few steps, and at most twice the
   * others plus a thousand are kept.
   */

  private static final long IDLE_SECONDS = 1;
  private static final int KEPT_AT_REST = 1000;

  /** Something to run that may be cancelled while it is queued. */
  interface Job extends Runnable {
    boolean isCancelled();
  }

  private final ThreadPoolExecutor pool;
  private final AtomicInteger cancelled = new AtomicInteger();

  Threads(int most, ThreadFactory factory) {
    pool =
        new ThreadPoolExecutor(
            most, most, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), factory);
    pool.allowCoreThreadTimeOut(true);
  }

  /**
   * Returns a factory of daemon threads, which inherit nothing from the thread that happens to
   * start them.
   */
  static ThreadFactory daemons(String name) {
    ClassLoader loader = Thread.currentThread().getContextClassLoader();
    return task -> {
      Thread thread = new Thread(null, task, name, 0, /* inheritThreadLocals= */ false);
      thread.setDaemon(true);
      thread.setContextClassLoader(loader);
      return thread;
    };
  }

  @Override
  public void execute(Runnable job) {
    pool.execute(job);
  }

  /** Counts a job that was cancelled and may be in the queue. */
  void countCancelled() {
    if (cancelled.incrementAndGet() > KEPT_AT_REST + pool.getQueue().size() / 2) {
      cancelled.set(0);
      pool.getQueue().removeIf(job -> job instanceof Job queued && queued.isCancelled());
    }
  }

  /** For tests. */
  int queued() {
    return pool.getQueue().size();
  }

  /** Ends the threads when the queue is empty. */
  void close() {
    pool.shutdown();
  }

  /** Ends the threads, and interrupts what they run. */
  void stop() {
    pool.shutdownNow();
  }
}
