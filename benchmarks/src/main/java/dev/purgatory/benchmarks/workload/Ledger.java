package dev.purgatory.benchmarks.workload;

import dev.purgatory.benchmarks.contender.Endings;
import java.util.concurrent.atomic.LongAdder;

/** Counts how requests end. */
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

  /** How many have ended, for either reason. */
  public long ended() {
    return ended.sum();
  }

  /** How many have timed out. */
  public long timedOut() {
    return timedOut.sum();
  }
}
