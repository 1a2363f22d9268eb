package org.apache.kafka.server.purgatory;

import dev.purgatory.OperationAdapter;
import dev.purgatory.Outcome;
import dev.purgatory.Purgatory;
import dev.purgatory.PurgatoryListener.Source;
import dev.purgatory.kafka.PurgatoryStats;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Lets the core hold Kafka's operations as they are. */
final class KafkaOperations extends OperationAdapter<DelayedOperation> {
  private final PurgatoryStats stats;
  private final boolean timed;

  /**
   * Creates an adapter.
   *
   * @param core holds the operations
   * @param stats counts checks that throw; Kafka goes on to hold such an operation
   * @param timed whether operations expire by the core's timer
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

  /** Kafka does not check an operation again when its time is up. */
  @Override
  protected boolean isReadyOnTimeout(DelayedOperation operation) {
    return false;
  }

  /** A completed operation has answered already: see {@link DelayedOperation#forceComplete}. */
  @Override
  protected void onOutcome(DelayedOperation operation, Outcome outcome, @Nullable Throwable cause) {
    if (outcome == Outcome.TIMED_OUT) {
      operation.run();
    }
  }
}
