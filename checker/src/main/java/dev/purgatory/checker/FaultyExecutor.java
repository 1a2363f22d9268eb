package dev.purgatory.checker;

import dev.purgatory.checker.Settings.Behaviour;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/** An executor that shows a given behaviour. */
final class FaultyExecutor implements Executor {
  private final Behaviour behaviour;
  private final Consumer<Throwable> thrown;
  private final Runnable pause;
  private final List<Runnable> tasks = new ArrayList<>();

  /**
   * Creates an executor.
   *
   * @param thrown receives each exception before it is thrown
   */
  FaultyExecutor(Behaviour behaviour, Consumer<Throwable> thrown) {
    this(behaviour, thrown, () -> {});
  }

  /**
   * Creates an executor.
   *
   * @param thrown receives each exception before it is thrown
   * @param pause lets time pass
   */
  FaultyExecutor(Behaviour behaviour, Consumer<Throwable> thrown, Runnable pause) {
    this.behaviour = behaviour;
    this.thrown = thrown;
    this.pause = pause;
  }

  @Override
  public void execute(Runnable task) {
    switch (behaviour) {
      case INLINE -> task.run();
      case QUEUED -> tasks.add(task);
      case REJECTING -> fail();
      case DROPPING -> {}
      case TWICE -> {
        task.run();
        task.run();
      }
      case FAILING_LATE -> {
        task.run();
        fail();
      }
      case BLOCKING -> {
        pause.run();
        task.run();
      }
    }
  }

  private void fail() {
    RejectedExecutionException failure = new RejectedExecutionException("provoked");
    thrown.accept(failure);
    throw failure;
  }

  boolean hasTasks() {
    return !tasks.isEmpty();
  }

  /** Runs the queued tasks, and all tasks that they add, in their order. */
  void runAll() {
    while (!tasks.isEmpty()) {
      tasks.remove(0).run();
    }
  }

  /** Runs the queued tasks, and all tasks that they add, in an order that the seed determines. */
  void runAll(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    while (!tasks.isEmpty()) {
      tasks.remove(random.nextInt(tasks.size())).run();
    }
  }
}
