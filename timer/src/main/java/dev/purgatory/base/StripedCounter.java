package dev.purgatory.base;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/** A counter for many threads: each thread adds to a cell that few others use. Thread-safe. */
public final class StripedCounter {

  /*
   * Threads add to `base` until two of them meet there. Then there are cells, for good: most counters of
   * a small purgatory never need them, and they take 2 kB on 16 processors. What is in `base` stays there.
   *
   * Cells are two cache lines apart, which processors may fetch together. A LongAdder would not return the
   * value of the cell, which tells callers when to read the sum.
   *
   * To add never fails: without memory for the cells, all threads add to `base`.
   */

  private static final int STRIDE = 16;
  private static final VarHandle IN_CELLS = MethodHandles.arrayElementVarHandle(long[].class);
  private static final VarHandle BASE;
  private static final VarHandle CELLS;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      BASE = lookup.findVarHandle(StripedCounter.class, "base", long.class);
      CELLS = lookup.findVarHandle(StripedCounter.class, "cells", long[].class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
    StripedCounter any = new StripedCounter(); // the first use of a handle takes memory
    if (any.add(0) == 0 && any.stripe()) {
      any.add(0);
    }
  }

  private volatile long base;
  volatile long @Nullable [] cells;

  /** Creates a counter at zero. */
  public StripedCounter() {}

  /**
   * Adds to the cell of this thread.
   *
   * @param delta the number to add
   * @return the new value of that cell
   */
  public long add(long delta) {
    for (boolean mayStripe = true; ; ) {
      long[] striped = cells;
      if (striped != null) {
        int cell = (Stripes.ofThisThread(Stripes.COUNT) + 1) * STRIDE;
        return (long) IN_CELLS.getAndAdd(striped, cell, delta) + delta;
      }
      long before = base;
      if (BASE.compareAndSet(this, before, before + delta)) {
        return before + delta;
      }
      mayStripe = mayStripe && stripe();
    }
  }

  /** Makes the cells, unless they are there; returns false if there is no memory. */
  private boolean stripe() {
    try {
      return CELLS.compareAndSet(this, null, new long[(Stripes.COUNT + 1) * STRIDE])
          || cells != null;
    } catch (OutOfMemoryError e) {
      return false;
    }
  }

  /**
   * Returns the sum.
   *
   * @return exact while nothing is added; else the sum of values that the cells had during the call
   */
  public long sum() {
    long sum = base;
    long[] striped = cells;
    if (striped != null) {
      for (int i = STRIDE; i < striped.length; i += STRIDE) {
        sum += (long) IN_CELLS.getVolatile(striped, i);
      }
    }
    return sum;
  }
}
