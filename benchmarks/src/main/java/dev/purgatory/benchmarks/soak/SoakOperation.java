package dev.purgatory.benchmarks.soak;

import dev.purgatory.DelayedOperation;
import dev.purgatory.Outcome;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** An operation that uses as much memory as a small request. */
final class SoakOperation extends DelayedOperation {
  private static final int BYTES = 64;

  /** Makes a leak of operations visible in the heap. */
  final byte[] payload = new byte[BYTES];

  /** Whether the operation can be answered. */
  volatile boolean answerable;

  SoakOperation(Duration timeout) {
    super(timeout);
  }

  @Override
  protected boolean isReady() {
    return answerable;
  }

  @Override
  protected void onOutcome(Outcome outcome, @Nullable Throwable cause) {
    payload[0]++;
  }
}
