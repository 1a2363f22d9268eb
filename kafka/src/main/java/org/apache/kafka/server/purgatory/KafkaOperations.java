package org.apache.kafka.server.purgatory;

import dev.purgatory.OperationAdapter;
import dev.purgatory.Outcome;
import dev.purgatory.Purgatory;
import dev.purgatory.PurgatoryListener.Source;
import dev.purgatory.kafka.PurgatoryStats;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Defines how the core checks and expires Kafka's operations. */
final class KafkaOperations extends OperationAdapter<DelayedOperation> {
  private final PurgatoryStats stats;
  private final boolean timed;

  /**
   * Creates an adapter.
   *
   * @param core the purgatory that holds the operations
   * @param stats counts checks that throw; such an operation remains held, as in Kafka
   * @param timed whether the core's timer expires the operations
   */
  KafkaOperations(Purgatory<?> core, PurgatoryStats stats, boolean timed) {
    super(core);
    this.stats = stats;
    this.timed = timed;
  }

  @Override
  protected long timeoutNanos(DelayedOperation operation) {
    return timed ? TimeUnit.MILLISECONDS.toNanos(operation.delayMs) : Long.MAX_VALUE;
  }

  @Override
  protected boolean isReady(DelayedOperation operation) {
    try {
      return operation.evaluate();
    } catch (Throwable e) {
      stats.onError(operation, Source.CONDITION, e);
      return false;
    }
  }

  /** Always false: Kafka does not check an operation again when its timeout expires. */
  @Override
  protected boolean isReadyOnTimeout(DelayedOperation operation) {
    return false;
  }

  /**
   * Only expires operations: a completed one has already been answered by {@code forceComplete}.
   */
  @Override
  protected void onOutcome(DelayedOperation operation, Outcome outcome, @Nullable Throwable cause) {
    if (outcome == Outcome.TIMED_OUT) {
      operation.run();
    }
  }
}
