package dev.purgatory.session;

import dev.purgatory.base.LastResort;
import dev.purgatory.threads.Dispatcher;
import dev.purgatory.threads.TimerInternals;
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
   * The dispatcher runs a drain once, whatever the executor does. If nobody accepts it, the calling thread
   * runs it.
   *
   * An end that a listener causes is added to the queue and told by the same drain, after the listener has
   * returned: so the stack does not grow, whatever the executor is.
   */

  private final ConcurrentLinkedQueue<SessionEnd<K, V>> queue = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean draining = new AtomicBoolean();
  private final Consumer<? super SessionEnd<K, V>> listener;
  private final Dispatcher dispatcher;
  private final Runnable drain = this::drain;

  EndQueue(
      Consumer<? super SessionEnd<K, V>> listener,
      TimerInternals timer,
      @Nullable Executor executor) {
    this.listener = listener;
    this.dispatcher =
        new Dispatcher(
            timer,
            executor,
            "purgatory-sessions",
            e -> LastResort.log("The executor of a session listener failed", e));
  }

  /** Adds an end. The caller may hold a lock. */
  void add(SessionEnd<K, V> end) {
    queue.add(end);
  }

  /** Has the added ends told. The caller must not hold a lock. */
  void flush() {
    if (beginDrain() && !dispatcher.execute(drain)) {
      drain();
    }
  }

  /** Has the added ends told. Called on the thread that advances the clock. */
  void flushFromClock() {
    if (beginDrain()) {
      dispatcher.executeFromClock(drain);
    }
  }

  private boolean beginDrain() {
    return !queue.isEmpty() && !draining.get() && draining.compareAndSet(false, true);
  }

  private void drain() {
    do {
      tellAll();
      draining.set(false);
    } while (!queue.isEmpty() && draining.compareAndSet(false, true));
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
