package dev.purgatory.executor;

import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Hands tasks to the executor that runs them. Thread-safe. */
final class Dispatcher {

  /*
   * An executor may block, run the task at once, or create a thread with a factory of the user. So the
   * clock thread does not call it: a thread of our own, the relay, does. If it is held up, the due tasks
   * of this executor wait, and no others on a shared timer. A caller that drives the clock has no relay:
   * a test then decides when tasks run.
   */

  /** A due task on its way to the executor. */
  private record HandOver(Dispatcher dispatcher, WheelTask<?> task) implements Threads.Job {
    @Override
    public boolean isCancelled() {
      return task.isCancelled();
    }

    @Override
    public void run() {
      dispatcher.handOver(task);
    }
  }

  private final Executor executor;
  private final Runnable closer;
  private final @Nullable Threads relay;
  private final BiConsumer<WheelTask<?>, Throwable> refused;

  /**
   * Creates a dispatcher.
   *
   * @param closer closes the executor, if it is our own
   * @param refused gets the due tasks that the executor refuses
   */
  Dispatcher(
      Executor executor,
      Runnable closer,
      boolean relays,
      BiConsumer<WheelTask<?>, Throwable> refused) {
    this.executor = executor;
    this.closer = closer;
    this.relay = relays ? new Threads(1, Threads.daemons("purgatory-executor-relay")) : null;
    this.refused = refused;
  }

  /** Hands a new task over on this thread, which gets the exception if it is refused. */
  void execute(WheelTask<?> task) {
    executor.execute(task);
  }

  /** Hands a due task over. Never blocks if there is a relay. */
  void due(WheelTask<?> task) {
    if (relay == null) {
      handOver(task);
      return;
    }
    try {
      relay.execute(new HandOver(this, task));
    } catch (Throwable e) {
      refused.accept(task, e); // no memory, or no thread
    }
  }

  private void handOver(WheelTask<?> task) {
    try {
      executor.execute(task);
    } catch (Throwable e) {
      refused.accept(task, e);
    }
  }

  /** Counts a task that was cancelled after it was handed over. */
  void countCancelled() {
    if (relay != null) {
      relay.countCancelled();
    }
    if (executor instanceof Threads threads) {
      threads.countCancelled();
    }
  }

  /**
   * Ends our threads, when there are no tasks. The relay may still be held up with an ended one.
   */
  void close() {
    if (relay != null) {
      relay.stop();
    }
    closer.run();
  }
}
