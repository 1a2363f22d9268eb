package dev.purgatory.session;

import dev.purgatory.base.ForeignCode;
import dev.purgatory.base.LastResort;
import dev.purgatory.threads.Dispatcher;
import dev.purgatory.threads.TimerInternals;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Calls the listeners of sessions, one event after another, on an executor. Thread-safe. */
final class EventQueue {

  /*
   * A thread that ends a session makes the node of the end first, adds it when it has ended the session,
   * and then calls `flush`. Unless a drain is submitted or running, `flush` submits one. The drain that
   * finds the queue empty ends at that moment, under the monitor. So a later event submits the next drain.
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

  /** An event, its listener, and the next node in the queue. */
  static final class Node<E> {
    private final Consumer<? super E> listener;
    private final E event;
    private @Nullable Node<?> next;

    Node(Consumer<? super E> listener, E event) {
      this.listener = listener;
      this.event = event;
    }

    void tell() {
      ForeignCode.call(listener, event, LISTENER_THREW);
    }
  }

  private static final LastResort LISTENER_THREW = LastResort.handler("A session listener threw");

  private final Dispatcher dispatcher;
  private final Runnable drain = this::drain;

  // Guarded by this.
  private @Nullable Node<?> first;
  private @Nullable Node<?> last;
  private boolean submitted;
  private boolean draining;

  EventQueue(TimerInternals timer, @Nullable Executor executor) {
    this.dispatcher =
        new Dispatcher(
            timer,
            executor,
            "purgatory-sessions",
            LastResort.handler("The executor of a session listener failed"));
    add(new Node<>(event -> {}, this));
    drain.run(); // what is done for the first time may need memory
  }

  /** Adds an event. The caller may hold a lock. */
  void add(Node<?> node) {
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
   * Delivers the added events, soon. The caller must not hold a lock.
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
    try {
      if (isClock) {
        dispatcher.executeFromClock(drain);
      } else if (!dispatcher.execute(drain)) {
        drain();
      }
    } catch (Throwable e) { // no memory
      drain();
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
    for (Node<?> node; (node = poll()) != null; ) {
      node.tell();
    }
  }

  /** Returns the next event. Without any, ends the drain. */
  private @Nullable Node<?> poll() {
    synchronized (this) {
      Node<?> node = first;
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
