package dev.purgatory.session;

import dev.purgatory.internal.LastResort;
import dev.purgatory.internal.Worker;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Tells the listener of ended sessions, one after another, on an executor. Thread-safe. */
final class EndQueue<K, V> {

  /*
   * A thread that ends a session adds the end to `queue`, and then calls `flush`. Unless a drain is
   * submitted or running, `flush` submits one. A drain that finds the queue empty clears `draining` and
   * looks once more: so an end that was added meanwhile is told by this thread or by the one that added it.
   *
   * A drain runs once, even if a faulty executor runs it twice, or runs it and throws as well. If the
   * executor rejects it, the library's own thread takes over, and if that cannot start, the calling thread.
   *
   * An end that a listener causes is added to the queue and told by the same drain, after the listener has
   * returned: so the stack does not grow, whatever the executor is.
   */

  private final ConcurrentLinkedQueue<SessionEnd<K, V>> queue = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean draining = new AtomicBoolean();
  private final Worker worker = Worker.serial("purgatory-sessions");
  private final Consumer<? super SessionEnd<K, V>> listener;
  private final Executor executor;

  EndQueue(Consumer<? super SessionEnd<K, V>> listener, @Nullable Executor executor) {
    this.listener = listener;
    this.executor = executor == null ? worker : executor;
  }

  /** Adds an end. The caller may hold a lock. */
  void add(SessionEnd<K, V> end) {
    queue.add(end);
  }

  /** Has the added ends told. The caller must not hold a lock. */
  void flush() {
    if (queue.isEmpty() || draining.get()) {
      return;
    }
    Drain drain = new Drain(); // may fail, so before the flag is set
    if (draining.compareAndSet(false, true)
        && !accepts(executor, drain)
        && !accepts(worker, drain)) {
      drain.run();
    }
  }

  private static boolean accepts(Executor executor, Runnable task) {
    try {
      executor.execute(task);
      return true;
    } catch (Throwable e) {
      LastResort.log("The executor of a session listener failed", e);
      return false;
    }
  }

  private final class Drain implements Runnable {
    private final AtomicBoolean begun = new AtomicBoolean();

    @Override
    public void run() {
      if (begun.compareAndSet(false, true)) {
        do {
          tellAll();
          draining.set(false);
        } while (!queue.isEmpty() && draining.compareAndSet(false, true));
      }
    }
  }

  private void tellAll() {
    for (SessionEnd<K, V> end; (end = queue.poll()) != null; ) {
      try {
        listener.accept(end);
      } catch (Throwable e) {
        LastResort.log("A session listener threw", e);
      }
    }
  }
}
