package dev.purgatory.checker.programs;

import org.jspecify.annotations.Nullable;

/** Fills the heap, so that allocations of all threads fail, and frees it again. */
final class Memory {
  private static volatile Object @Nullable [] chain;

  private Memory() {}

  /** Fills the heap to the last object. */
  static void fill() {
    for (int round = 0; round < 3; round++) {
      try {
        while (true) {
          Object[] next = new Object[1];
          next[0] = chain;
          chain = next;
        }
      } catch (OutOfMemoryError e) {
        // full
      }
    }
  }

  static void free() {
    chain = null;
  }

  /** Fills the heap again and again, each time for a quarter of a second. */
  static void fillFor(int seconds) {
    long end = System.nanoTime() + seconds * 1_000_000_000L;
    while (System.nanoTime() < end) {
      try {
        fillWithBlocks();
        boolean unused = Wait.sleep(250);
      } catch (OutOfMemoryError e) {
        // this thread has no memory either
      }
      free();
      boolean unused = Wait.sleep(60);
    }
    System.gc();
  }

  /** Fills the heap with smaller and smaller blocks, which takes less time. */
  static void fillWithBlocks() {
    for (int size = 1 << 16; size > 8; ) {
      try {
        chain = new Object[] {chain, new byte[size]};
      } catch (OutOfMemoryError e) {
        size /= 8;
      }
    }
  }
}
