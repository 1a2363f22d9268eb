package dev.purgatory;

import java.util.ArrayDeque;

/**
 * Keeps code from outside from running within code from outside: what such code sets off on its
 * thread is run once it has returned, in order. So a chain of events that set off each other takes
 * turns instead of stack, and no callback is entered while another is half done. One per thread.
 */
final class Trampoline {
  private static final System.Logger LOG = System.getLogger(Purgatory.class.getName());
  private static final ThreadLocal<Trampoline> CURRENT = ThreadLocal.withInitial(Trampoline::new);

  private final ArrayDeque<Runnable> deferred = new ArrayDeque<>(4);
  private boolean occupied;

  private Trampoline() {}

  static Trampoline current() {
    return CURRENT.get();
  }

  /** Whether code from outside is running on this thread, so that other such code has to wait. */
  boolean isOccupied() {
    return occupied;
  }

  /** Runs the task after what is running now. What it throws is logged. */
  void defer(Runnable task) {
    deferred.add(task);
  }

  /**
   * Announces code from outside.
   *
   * @return whether it is the outermost, and has to be followed by {@link #leave}
   */
  boolean enter() {
    boolean outermost = !occupied;
    occupied = true;
    return outermost;
  }

  /** Runs what was deferred, and what that defers. */
  void leave() {
    for (Runnable task; (task = deferred.poll()) != null; ) {
      try {
        task.run();
      } catch (Throwable e) {
        LOG.log(System.Logger.Level.ERROR, "What a callback has set off failed", e);
      }
    }
    occupied = false;
  }
}
