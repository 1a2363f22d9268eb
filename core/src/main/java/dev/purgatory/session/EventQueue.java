package dev.purgatory.session;

import dev.purgatory.base.ForeignCode;
import dev.purgatory.base.LastResort;
import dev.purgatory.threads.Dispatcher;
import dev.purgatory.threads.TimerInternals;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Calls the listener for ended sessions, one after another, on an executor. Thread-safe. */
final class EndQueue<K, V> {

  /*
   * A thread that ends a session makes the node of the end first, adds it when it has ended the session,
   * and then calls `flush`. Unless a drain is submitted or running, `flush` submits one. The drain that
   * finds the queue empty ends at that moment, under the monitor. So a later end submits the next drain.
   *
   * From the decision on, nothing here needs memory: nodes are linked, and neither entering a monitor nor
   * waiting for it allocates. No foreign code runs under the monitor. If the dispatcher fails, the calling
   * thread drains; if the drain was submitted nevertheless, `draining` lets only one of both go on.
   *
   * The dispatcher runs a drain once, whatever the executor does. If nobody accepts it, the calling thread
   * runs it.
   *
   * The same drain also delivers an end that its listener causes, after the listener has returned: so the
   * stack does not grow, whatever the executor is.
   */

  /** An end, and the next one in the queue. */
  static final class Node<K, V> {
    final SessionEnd<K, V> end;
    private @Nullable Node<K, V> next;

    Node(SessionEnd<K, V> end) {
      this.end = end;
    }
  }

  private static final LastResort LISTENER_THREW = LastResort.handler("A session listener threw");

  private final Consumer<? super SessionEnd<K, V>> listener;
  private final Dispatcher dispatcher;
  private final Runnable drain = this::drain;

  // Guarded by this.
  private @Nullable Node<K, V> first;
  private @Nullable Node<K, V> last;
  private boolean submitted;
  private boolean draining;

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
            LastResort.handler("The executor of a session listener failed"));
  }

  /** Adds an end. The caller may hold a lock. */
  void add(Node<K, V> node) {
    synchronized (this) {
      if (last == null) {
        first = node;
      } else {
        last.next = node;
      }
      last = node;
    }
  }

  /**
   * Delivers the added ends, soon. The caller must not hold a lock.
   *
   * @param isClock whether this thread advances the clock
   */
  void flush(boolean isClock) {
    synchronized (this) {
      if (first == null || submitted || draining) {
        return;
      }
      submitted = true;
    }
    if (!isSubmitted(isClock)) {
      drain();
    }
  }

  private boolean isSubmitted(boolean isClock) {
    try {
      if (!isClock) {
        return dispatcher.execute(drain);
      }
      dispatcher.executeFromClock(drain);
      return true;
    } catch (Throwable e) { // no memory
      return false;
    }
  }

  private void drain() {
    synchronized (this) {
      submitted = false;
      if (draining) {
        return;
      }
      draining = true;
    }
    for (Node<K, V> node; (node = poll()) != null; ) {
      ForeignCode.call(listener, node.end, LISTENER_THREW);
    }
  }

  /** Returns the next end. Without any, ends the drain. */
  private @Nullable Node<K, V> poll() {
    synchronized (this) {
      Node<K, V> node = first;
      if (node == null) {
        draining = false;
        return null;
      }
      first = node.next;
      if (first == null) {
        last = null;
      }
      return node;
    }
  }
}
