package dev.purgatory;

import dev.purgatory.internal.LastResort;
import java.util.ArrayDeque;

/**
 * Keeps answers and checks from running within code from outside: what such code sets off on its
 * thread runs once it has returned, in order. So a chain of operations that complete each other
 * takes turns instead of stack, and no answer begins while another is half given. One per thread.
 */
final class Trampoline {
  private static final ThreadLocal<Trampoline> CURRENT = ThreadLocal.withInitial(Trampoline::new);

  private final ArrayDeque<Runnable> deferred = new ArrayDeque<>(4);
  private boolean occupied;

  private Trampoline() {}

  static Trampoline current() {
    return CURRENT.get();
  }

  /** Runs code from outside: now, or after such code that is running on this thread. */
  static void inTurn(Runnable code) {
    Trampoline trampoline = current();
    if (trampoline.isOccupied()) {
      trampoline.defer(code);
    } else {
      trampoline.now(code);
    }
  }

  /** Whether code from outside is running on this thread, so that other such code has to wait. */
  boolean isOccupied() {
    return occupied;
  }

  /** Runs the code after what is running now. What it throws is logged. */
  void defer(Runnable code) {
    deferred.add(code);
  }

  /** Runs code from outside in any case; what it sets off waits all the same. */
  void now(Runnable code) {
    boolean outermost = enter();
    try {
      code.run();
    } finally {
      if (outermost) {
        leave();
      }
    }
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
    try {
      for (Runnable code; (code = deferred.poll()) != null; ) {
        runDeferred(code);
      }
    } finally {
      occupied = false;
    }
  }

  private static void runDeferred(Runnable code) {
    try {
      code.run();
    } catch (Throwable e) {
      LastResort.log("What a callback has set off failed", e);
    }
  }
}
