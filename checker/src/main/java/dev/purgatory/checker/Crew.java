package dev.purgatory.checker;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Threads that start a race at the same moment. They are reused for the next race. */
final class Crew implements AutoCloseable {
  private static final long PATIENCE_SECONDS = 30;
  private static final int LOOKS_AWAKE = 100;

  private final ExecutorService threads;

  private Crew(ExecutorService threads) {
    this.threads = threads;
  }

  static Crew ofPlatformThreads() {
    return new Crew(
        Executors.newCachedThreadPool(
            task -> {
              Thread thread = new Thread(task, "race");
              thread.setDaemon(true);
              return thread;
            }));
  }

  /** Returns a crew of virtual threads if the JDK has them, and of platform threads otherwise. */
  static Crew ofVirtualThreads() {
    try {
      Object made = Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
      return new Crew((ExecutorService) made);
    } catch (ReflectiveOperationException e) {
      return ofPlatformThreads();
    }
  }

  /**
   * Runs tasks at the same time and waits for all of them.
   *
   * @throws Finding if a task does not end
   */
  void race(List<Runnable> tasks) {
    AtomicInteger missing = new AtomicInteger(tasks.size());
    List<Future<?>> running = new ArrayList<>();
    for (Runnable task : tasks) {
      running.add(
          threads.submit(
              () -> {
                meet(missing);
                task.run();
              }));
    }
    for (Future<?> each : running) {
      await(each);
    }
  }

  /** Spins at first, to start at once, and then parks. */
  @SuppressWarnings("ThreadPriorityCheck") // There may be more threads than cores.
  private static void meet(AtomicInteger missing) {
    missing.decrementAndGet();
    for (int i = 0; missing.get() > 0; i++) {
      if (i < LOOKS_AWAKE) {
        Thread.yield();
      } else {
        LockSupport.parkNanos(1);
      }
    }
  }

  private static void await(Future<?> running) {
    try {
      running.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    } catch (TimeoutException e) {
      throw new Finding(Invariant.PROGRESS, "a thread is stuck", e);
    } catch (ExecutionException e) {
      throw new Finding(Invariant.RETURN_VALUES, "a thread failed: " + e.getCause(), e.getCause());
    }
  }

  @Override
  public void close() {
    threads.shutdown();
  }
}
