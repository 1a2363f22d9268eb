package dev.purgatory.checker;

import java.util.stream.Stream;

/** Measures the depth of the stack. */
final class StackDepth {

  /**
   * The greatest number of frames in a callback: 32 nested calls of about 30 frames, or twice as
   * many if the thread counts its depth in two places.
   */
  static final int LIMIT = 2_100;

  private static final StackWalker WALKER = StackWalker.getInstance();

  private StackDepth() {}

  /** Returns whether this thread has no more frames than {@link #LIMIT}. */
  static boolean isBounded() {
    return WALKER.walk(Stream::count) <= LIMIT;
  }
}
