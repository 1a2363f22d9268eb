package dev.purgatory.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A sum to which many threads add without meeting: each adds to a cell that few others use.
 * Thread-safe.
 */
public final class StripedCounter {

  /*
   * Cells are as far apart as processors fetch memory at once, two lines of the cache. A LongAdder
   * does not tell what an addition has led to, which is what says that it is time to look at the sum.
   */

  private static final int STRIDE = 16;
  private static final VarHandle CELLS = MethodHandles.arrayElementVarHandle(long[].class);

  private final long[] cells = new long[(Stripes.COUNT + 1) * STRIDE];

  /** Creates a counter at zero. */
  public StripedCounter() {}

  /**
   * Adds to the cell of this thread.
   *
   * @param delta what to add
   * @return what is in that cell now
   */
  public long add(long delta) {
    int cell = (Stripes.ofThisThread(Stripes.COUNT) + 1) * STRIDE;
    return (long) CELLS.getAndAdd(cells, cell, delta) + delta;
  }

  /**
   * Returns the sum.
   *
   * @return exact while nothing is added; else the sum of what each cell was at some time meanwhile
   */
  public long sum() {
    long sum = 0;
    for (int i = STRIDE; i < cells.length; i += STRIDE) {
      sum += (long) CELLS.getVolatile(cells, i);
    }
    return sum;
  }
}
