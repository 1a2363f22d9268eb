package dev.purgatory.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

/**
 * Runs threads in tests: every thread is joined, every failure reaches the test, and every wait
 * ends after {@link #PATIENCE}, which is far longer than any test should take on a loaded machine.
 */
public final class Threads {
  public static final Duration PATIENCE =
      Duration.ofSeconds(Integer.getInteger("patience.seconds", 60));

  /** For more: {@code -Drepeat.millis=15000}. */
  private static final Duration REPEAT_LIMIT =
      Duration.ofMillis(Integer.getInteger("repeat.millis", 500));

  private Threads() {}

  /** The code that a thread of a test runs. */
  @FunctionalInterface
  public interface Task {
    void run() throws Exception;
  }

  /** One round of a repeated race. */
  @FunctionalInterface
  public interface Round {
    void run(int number) throws InterruptedException;
  }

  /** A started thread, which the test must join. */
  public static final class Running {
    private final Thread thread;
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    private Running(Task task) {
      thread =
          new Thread(
              () -> {
                try {
                  task.run();
                } catch (Throwable e) {
                  failure.set(e);
                }
              },
              "test");
      thread.setDaemon(true);
      thread.start();
    }

    public Thread thread() {
      return thread;
    }

    /** Waits until the task ends, and fails if it failed. */
    public void join() throws InterruptedException {
      thread.join(PATIENCE.toMillis());
      Throwable thrown = failure.get();
      if (thrown != null) {
        throw new AssertionError("a thread of the test failed", thrown);
      }
      if (thread.isAlive()) {
        AssertionError stuck = new AssertionError("a thread of the test is stuck");
        stuck.setStackTrace(thread.getStackTrace());
        throw stuck;
      }
    }

    /** Waits until the thread is waiting. */
    public void awaitAsleep() {
      until(
          () -> {
            Thread.State state = thread.getState();
            return state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING;
          });
    }
  }

  public static Running start(Task task) {
    return new Running(task);
  }

  /** Runs the tasks at the same time and joins them. */
  public static void race(List<Task> tasks) throws InterruptedException {
    CyclicBarrier barrier = new CyclicBarrier(tasks.size());
    List<Running> running = new ArrayList<>();
    for (Task task : tasks) {
      running.add(
          start(
              () -> {
                meet(barrier);
                task.run();
              }));
    }
    for (Running each : running) {
      each.join();
    }
  }

  public static void race(Task... tasks) throws InterruptedException {
    race(List.of(tasks));
  }

  /**
   * Runs the rounds one after another. It starts none after {@link #REPEAT_LIMIT}, so a short build
   * or a loaded machine runs fewer rounds.
   */
  public static void repeat(int rounds, Round round) throws InterruptedException {
    long begin = System.nanoTime();
    for (int i = 0; i < rounds && System.nanoTime() - begin < REPEAT_LIMIT.toNanos(); i++) {
      round.run(i);
    }
  }

  public static void meet(CyclicBarrier barrier)
      throws InterruptedException, BrokenBarrierException, TimeoutException {
    int unused = barrier.await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }

  public static void await(CountDownLatch latch) throws InterruptedException {
    assertThat(latch.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).as("latch opened").isTrue();
  }

  /** Waits until another thread makes the condition true. */
  @SuppressWarnings("ThreadPriorityCheck") // yields only to let the other thread run
  public static void until(BooleanSupplier condition) {
    long begin = System.nanoTime();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - begin).as("waited").isLessThan(PATIENCE.toNanos());
      Thread.yield();
    }
  }

  /** Returns the number of live threads with this name. */
  public static int named(String name) {
    return (int)
        Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> thread.getName().equals(name))
            .count();
  }

  /** Whether a thread of this name is alive. */
  public static boolean isAlive(String name) {
    return Thread.getAllStackTraces().keySet().stream().anyMatch(t -> t.getName().equals(name));
  }
}
