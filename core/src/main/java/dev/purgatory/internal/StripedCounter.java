package dev.purgatory.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** A counter for many threads: each thread adds to a cell that few others use. Thread-safe. */
public final class StripedCounter {

  /*
   * Cells are two cache lines apart, which processors may fetch together. A LongAdder would not return the
   * value of the cell, which tells callers when to read the sum.
   */

  private static final int STRIDE = 16;
  private static final VarHandle CELLS = MethodHandles.arrayElementVarHandle(long[].class);

  private final long[] cells = new long[(Stripes.COUNT + 1) * STRIDE];

  /** Creates a counter at zero. */
  public StripedCounter() {}

  /**
   * Adds to the cell of this thread.
   *
   * @param delta the number to add
   * @return the new value of that cell
   */
  public long add(long delta) {
    int cell = (Stripes.ofThisThread(Stripes.COUNT) + 1) * STRIDE;
    return (long) CELLS.getAndAdd(cells, cell, delta) + delta;
  }

  /**
   * Returns the sum.
   *
   * @return exact while nothing is added; else the sum of values that the cells had during the call
   */
  public long sum() {
    long sum = 0;
    for (int i = STRIDE; i < cells.length; i += STRIDE) {
      sum += (long) CELLS.getVolatile(cells, i);
    }
    return sum;
  }
}
