package dev.purgatory.benchmarks.workload;

import dev.purgatory.benchmarks.contender.Endings;
import java.util.concurrent.atomic.LongAdder;

/** Counts the ends of requests. */
public final class Ledger implements Endings {
  private final LongAdder ended = new LongAdder();
  private final LongAdder timedOut = new LongAdder();

  @Override
  public void ended(byte[] payload) {
    ended.increment();
  }

  @Override
  public void timedOut(byte[] payload) {
    timedOut.increment();
  }

  /** Returns the number of requests that have ended. */
  public long ended() {
    return ended.sum();
  }

  /** Returns the number of requests that have timed out. */
  public long timedOut() {
    return timedOut.sum();
  }
}
