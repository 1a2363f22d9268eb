package dev.purgatory.internal;

import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Daemon threads: started on demand, they end after a second without work. After {@link #close},
 * the calling thread runs the tasks.
 */
public final class Worker implements Executor {
  private static final long IDLE_SECONDS = 1;
  private static final Thread.UncaughtExceptionHandler FAILED =
      LastResort.handler("A thread threw, and is replaced");

  private final String threadName;
  private final ThreadPoolExecutor pool;

  /** Weak, so that threads that have ended are removed. */
  private final Set<Thread> threads =
      Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

  private final @Nullable ClassLoader contextClassLoader =
      Thread.currentThread().getContextClassLoader();

  private Worker(String threadName, int core, int most, BlockingQueue<Runnable> queue) {
    this.threadName = threadName;
    pool = new ThreadPoolExecutor(core, most, IDLE_SECONDS, TimeUnit.SECONDS, queue, this::thread);
    pool.allowCoreThreadTimeOut(true);
  }

  /**
   * Returns a worker that runs tasks one after another.
   *
   * @param threadName the name of its thread
   * @return a worker without a thread
   */
  public static Worker serial(String threadName) {
    return new Worker(threadName, 1, 1, new LinkedBlockingQueue<>());
  }

  /**
   * Returns a worker on which no task waits for another.
   *
   * @param threadName the name of its threads
   * @return a worker without a thread
   */
  public static Worker concurrent(String threadName) {
    return new Worker(threadName, 0, Integer.MAX_VALUE, new SynchronousQueue<>());
  }

  /** Its context class loader is that of the creator of the worker, not of the current thread. */
  private Thread thread(Runnable tasks) {
    Thread thread = new Thread(null, tasks, threadName, 0, /* inheritThreadLocals= */ false);
    thread.setDaemon(true);
    thread.setContextClassLoader(contextClassLoader);
    thread.setUncaughtExceptionHandler(FAILED);
    threads.add(thread); // not by the thread itself, which could fail and lose its tasks
    return thread;
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
   * Runs a task on a thread of this worker.
   *
   * @param task the task
   * @return false if the worker is closed, and the task does not run
   */
  public boolean offer(Runnable task) {
    try {
      pool.execute(task);
      return true;
    } catch (RejectedExecutionException e) {
      return false;
    }
  }

  /**
   * Runs queued tasks. A pool that is shut down while it starts its first thread may drop the
   * thread and forget the tasks that were queued for it. The caller that was rejected then runs
   * them.
   */
  private void runWhatIsLeft() {
    for (Runnable left; (left = pool.getQueue().poll()) != null; ) {
      left.run();
    }
    pool.purge(); // makes the pool notice that it has ended, for await()
  }

  /**
   * Returns whether the current thread belongs to this worker.
   *
   * @return true on a thread of this worker
   */
  public boolean isCurrent() {
    return threads.contains(Thread.currentThread());
  }

  /** Ends the threads when they have run all tasks. */
  public void close() {
    pool.shutdown();
  }

  /**
   * Waits until the threads have ended. If the caller is interrupted, the wait ends and the
   * interrupt status stays set.
   *
   * @param nanos how long to wait at most
   * @return whether the threads have ended
   */
  public boolean await(long nanos) {
    try {
      return pool.awaitTermination(nanos, TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Interrupts running tasks. */
  public void interrupt() {
    List.copyOf(threads).forEach(Thread::interrupt);
  }
}
