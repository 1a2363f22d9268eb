package dev.purgatory.benchmarks.contender;

import io.netty.util.HashedWheelTimer;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The timers of the rivals, each on a thread of its own. */
public final class Daemons {
  private static final String NAME = "bench-timeouts";

  private Daemons() {}

  /** Returns Netty's wheel with a tick of 1 ms, as the others have, and its default size. */
  public static HashedWheelTimer wheel() {
    return new HashedWheelTimer(new DefaultThreadFactory(NAME, true), 1, TimeUnit.MILLISECONDS);
  }

  /** Returns a heap from which cancelled tasks are removed. */
  public static ScheduledThreadPoolExecutor heap() {
    ScheduledThreadPoolExecutor heap =
        new ScheduledThreadPoolExecutor(1, new DefaultThreadFactory(NAME, true));
    heap.setRemoveOnCancelPolicy(true);
    return heap;
  }
}
