package dev.purgatory.checker;

import java.util.stream.Stream;

/** Measures how deep the stack is. */
final class StackDepth {

  /**
   * The most frames that a thread may have inside a callback, whatever the program is: 32 nested
   * calls of some 20 frames, or twice that where the thread has counted its depth in two places.
   */
  static final int LIMIT = 1_500;

  private static final StackWalker WALKER = StackWalker.getInstance();

  private StackDepth() {}

  /** Returns whether this thread has no more frames than {@link #LIMIT}. */
  static boolean isBounded() {
    return WALKER.walk(Stream::count) <= LIMIT;
  }
}
