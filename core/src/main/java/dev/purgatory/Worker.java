package dev.purgatory;

import dev.purgatory.internal.LastResort;
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
 * Daemon threads of a purgatory's own: started when there is something to run, gone a second after
 * the last of it. Once it is closed, the thread at hand runs what is handed over.
 */
final class Worker implements Executor {
  private static final long IDLE_SECONDS = 1;
  private static final Thread.UncaughtExceptionHandler FAILED =
      LastResort.handler("A thread failed, and is replaced");

  private final String threadName;
  private final ThreadPoolExecutor pool;

  /** Threads that have ended leave by themselves. */
  private final Set<Thread> threads =
      Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

  private final @Nullable ClassLoader contextClassLoader =
      Thread.currentThread().getContextClassLoader();

  private Worker(String threadName, int core, int most, BlockingQueue<Runnable> queue) {
    this.threadName = threadName;
    pool = new ThreadPoolExecutor(core, most, IDLE_SECONDS, TimeUnit.SECONDS, queue, this::thread);
    pool.allowCoreThreadTimeOut(true);
  }

  /** Returns a worker that runs tasks one after another. */
  static Worker serial(String threadName) {
    return new Worker(threadName, 1, 1, new LinkedBlockingQueue<>());
  }

  /** Returns a worker on which no task waits for another. */
  static Worker concurrent(String threadName) {
    return new Worker(threadName, 0, Integer.MAX_VALUE, new SynchronousQueue<>());
  }

  /** With the context class loader of the thread that made the worker, not of one passing by. */
  private Thread thread(Runnable tasks) {
    Thread thread = new Thread(null, tasks, threadName, 0, /* inheritThreadLocals= */ false);
    thread.setDaemon(true);
    thread.setContextClassLoader(contextClassLoader);
    thread.setUncaughtExceptionHandler(FAILED);
    threads.add(thread); // here, as a thread that fails before it runs its tasks loses them
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
   * Runs a task if a thread can be had for it.
   *
   * @return false if the worker is closed
   */
  boolean offer(Runnable task) {
    try {
      pool.execute(task);
      return true;
    } catch (RejectedExecutionException e) {
      return false;
    }
  }

  /**
   * A pool that is shut down while it starts its first thread may drop that thread, and forget what
   * others have queued for it meanwhile. A caller who is rejected then finds it here.
   */
  private void runWhatIsLeft() {
    for (Runnable left; (left = pool.getQueue().poll()) != null; ) {
      left.run();
    }
    pool.purge(); // has the pool look whether it has ended, for await() not to wait in vain
  }

  /** Whether the current thread is one of these. */
  boolean isCurrent() {
    return threads.contains(Thread.currentThread());
  }

  /** Has the threads end when they have run what was handed over. */
  void close() {
    pool.shutdown();
  }

  /**
   * Waits until the threads have ended. An interrupt of the caller ends the wait, and is kept.
   *
   * @param nanos how long to wait at most
   * @return whether they have ended
   */
  boolean await(long nanos) {
    try {
      return pool.awaitTermination(nanos, TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Interrupts the tasks that are running. */
  void interrupt() {
    List.copyOf(threads).forEach(Thread::interrupt);
  }
}
