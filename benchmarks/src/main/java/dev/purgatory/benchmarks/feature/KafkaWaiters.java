package dev.purgatory.benchmarks.feature;

import dev.purgatory.benchmarks.contender.Key;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.server.purgatory.DelayedOperation;
import org.apache.kafka.server.purgatory.DelayedOperationPurgatory;

/** Kafka's own purgatory, which evaluates all waiters. */
final class KafkaWaiters implements NumberWaiters {
  private static final Key KEY = new Key(1);

  private final DelayedOperationPurgatory<Waiter> purgatory =
      new DelayedOperationPurgatory<>("bench", 0);
  private volatile long number = Long.MIN_VALUE;

  @Override
  public CompletableFuture<Long> await(long threshold, Duration timeout) {
    Waiter waiter = new Waiter(threshold, timeout.toMillis());
    purgatory.tryCompleteElseWatch(waiter, List.of(KEY));
    return waiter.future;
  }

  @Override
  public int advance(long reached) {
    number = reached;
    return purgatory.checkAndComplete(KEY);
  }

  @Override
  public long pending() {
    return purgatory.numDelayed();
  }

  @Override
  public void close() {
    try {
      purgatory.shutdown();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Exception e) {
      throw new IllegalStateException("cannot close Kafka's purgatory", e);
    }
  }

  private final class Waiter extends DelayedOperation {
    private final long threshold;
    private final CompletableFuture<Long> future = new Answer();

    Waiter(long threshold, long timeoutMillis) {
      super(timeoutMillis);
      this.threshold = threshold;
    }

    @Override
    public boolean tryComplete() {
      return number >= threshold && forceComplete();
    }

    @Override
    public void onComplete() {
      long reached = number;
      if (reached >= threshold) {
        future.complete(reached);
      } else {
        future.completeExceptionally(new TimeoutException("not at " + threshold));
      }
    }

    @Override
    public void onExpiration() {}

    /** Frees the operation if the caller gives up. */
    private final class Answer extends CompletableFuture<Long> {
      @Override
      public boolean cancel(boolean mayInterruptIfRunning) {
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        forceComplete();
        return cancelled;
      }
    }
  }
}
