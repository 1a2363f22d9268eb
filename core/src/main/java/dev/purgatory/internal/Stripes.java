package dev.purgatory.internal;

/** How many parts to split into what many threads use at once: a power of two. */
public final class Stripes {
  private static final int MAX = 16;

  /** One for each processor, up to sixteen. */
  public static final int COUNT =
      Math.min(MAX, ceilingPowerOfTwo(Runtime.getRuntime().availableProcessors()));

  private Stripes() {}

  /**
   * Returns the part that this thread prefers.
   *
   * @param count how many there are, a power of two
   * @return 0 or more, less than that
   */
  public static int ofThisThread(int count) {
    return (int) Thread.currentThread().getId() & (count - 1);
  }

  private static int ceilingPowerOfTwo(int n) {
    return n <= 1 ? 1 : Integer.highestOneBit(n - 1) << 1;
  }
}
