package dev.purgatory.internal;

/** How many parts to split into what many threads use at once: a power of two. */
public final class Stripes {
  private static final int MAX = 16;

  /** 2^64 divided by the golden ratio: its multiples are spread evenly, in their upper bits. */
  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  /** One for each processor, up to sixteen. */
  public static final int COUNT =
      Math.min(MAX, ceilingPowerOfTwo(Runtime.getRuntime().availableProcessors()));

  private Stripes() {}

  /**
   * Returns the part that this thread prefers. Threads that follow each other prefer different
   * parts, and threads whose numbers differ by a power of two do too, mostly.
   *
   * @param count how many parts there are, a power of two
   * @return 0 or more, less than that
   */
  public static int ofThisThread(int count) {
    return of(Thread.currentThread().getId(), count);
  }

  /**
   * Returns the part that a thread prefers.
   *
   * @param threadId the number of the thread
   * @param count how many parts there are, a power of two
   * @return 0 or more, less than that
   */
  public static int of(long threadId, int count) {
    return (int) ((((threadId * GOLDEN) >>> 32) * count) >>> 32);
  }

  /**
   * Spreads numbers that follow each other evenly.
   *
   * @param number any
   * @return a number whose upper bits differ from those of its neighbours
   */
  public static long mix(long number) {
    return number * GOLDEN;
  }

  private static int ceilingPowerOfTwo(int n) {
    return n <= 1 ? 1 : Integer.highestOneBit(n - 1) << 1;
  }
}
