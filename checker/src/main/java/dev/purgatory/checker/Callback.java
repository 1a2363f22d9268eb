package dev.purgatory.checker;

import static dev.purgatory.checker.Invariant.CLEAN_THREADS;
import static dev.purgatory.checker.Invariant.STACK_DEPTH;

import java.util.stream.Stream;

/** What holds whenever the library calls foreign code, on whichever thread. */
final class Callback {

  /**
   * The greatest number of frames in a callback: 32 nested calls of about 30 frames, or twice as
   * many if the thread counts its depth in two places.
   */
  private static final int MOST_FRAMES = 2_100;

  private static final StackWalker WALKER = StackWalker.getInstance();

  /** Belongs to threads that run programs, and to all that inherit it. */
  private static final InheritableThreadLocal<Boolean> OF_CALLERS = new InheritableThreadLocal<>();

  private Callback() {}

  /** Marks the current thread as one that runs programs. */
  static void markCaller() {
    OF_CALLERS.set(true);
  }

  /**
   * Checks what holds when foreign code is called.
   *
   * @param violations collects what does not hold
   * @param what the code
   */
  static void begin(Violations violations, Object what) {
    boolean bounded = WALKER.walk(Stream::count) <= MOST_FRAMES;
    boolean interrupted = Thread.currentThread().isInterrupted();
    boolean inherits = LibraryThreads.isCurrent() && OF_CALLERS.get() != null;
    if (!bounded || interrupted || inherits) {
      violations.require(bounded, STACK_DEPTH, what.toString());
      violations.require(!interrupted, CLEAN_THREADS, what + " begins interrupted");
      violations.require(!inherits, CLEAN_THREADS, what + " has a thread-local of a caller");
    }
  }

  /** Leaves an interrupt flag on a thread of the library. */
  static void leaveInterrupt() {
    if (LibraryThreads.isCurrent()) {
      Thread.currentThread().interrupt();
    }
  }
}
