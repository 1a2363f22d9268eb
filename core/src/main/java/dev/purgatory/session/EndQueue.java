package dev.purgatory.session;

import dev.purgatory.internal.LastResort;
import dev.purgatory.internal.Worker;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Tells the listener of ended sessions, one after another, on an executor. Thread-safe. */
final class EndQueue<K, V> {

  /*
   * A thread that ends a session adds the end to `queue`, and then calls `flush`. If no drain is submitted
   * or running, `flush` submits one. A drain removes itself from `drain` when it has found the queue empty,
   * and then looks once more: so an end that was added meanwhile is told by this thread or by another.
   *
   * A drain runs once, even if a faulty executor runs it twice, or runs it and throws as well. If the
   * executor rejects it, the library's own thread takes over, and if that cannot start, the calling thread.
   *
   * An end that a listener causes is added to the queue and told by the same drain, after the listener has
   * returned: so the stack does not grow, whatever the executor is.
   */

  private final ConcurrentLinkedQueue<SessionEnd<K, V>> queue = new ConcurrentLinkedQueue<>();
  private final AtomicReference<@Nullable Drain> drain = new AtomicReference<>();
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
    if (queue.isEmpty() || drain.get() != null) {
      return; // a drain looks at the queue again after it has left its field
    }
    Drain next = new Drain();
    if (drain.compareAndSet(null, next) && !accepts(executor, next) && !accepts(worker, next)) {
      next.run();
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
    private final AtomicReference<@Nullable EndQueue<K, V>> source =
        new AtomicReference<>(EndQueue.this);

    @Override
    public void run() {
      if (source.getAndSet(null) != null) {
        tellAll();
        drain.set(null);
        flush();
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
