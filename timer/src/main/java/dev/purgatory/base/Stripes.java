package dev.purgatory.base;

/** Distributes threads over the parts of a data structure. */
public final class Stripes {
  private static final int MAX = 16;

  /** 2^64 divided by the golden ratio: the upper bits of its multiples are evenly distributed. */
  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  /** The number of parts: a power of two, at least the number of processors, at most 16. */
  public static final int COUNT =
      Math.min(MAX, Integer.highestOneBit(2 * Runtime.getRuntime().availableProcessors() - 1));

  private Stripes() {}

  /**
   * Returns the part that this thread prefers. Threads with consecutive ids prefer different parts,
   * and so do most threads whose ids differ by a power of two.
   *
   * @param count the number of parts, a power of two
   * @return 0 or more, less than {@code count}
   */
  public static int ofThisThread(int count) {
    return of(Thread.currentThread().getId(), count);
  }

  /**
   * Distributes consecutive numbers evenly.
   *
   * @param number the id of a thread, or another number
   * @param count the number of parts
   * @return the part of the number: 0 or more, less than {@code count}
   */
  public static int of(long number, int count) {
    return (int) ((((number * GOLDEN) >>> 32) * count) >>> 32);
  }
}
