package dev.purgatory.benchmarks.feature;

import dev.purgatory.benchmarks.contender.Daemons;
import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import io.netty.util.TimerTask;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A skip list of futures, ordered by their thresholds. A future removes itself from the list and
 * from the timer when it is done, whatever completes it.
 */
final class SkipListWaiters implements NumberWaiters {
  private final ConcurrentSkipListSet<Waiter> waiters =
      new ConcurrentSkipListSet<>(
          Comparator.<Waiter>comparingLong(waiter -> waiter.threshold)
              .thenComparingLong(waiter -> waiter.index));
  private final AtomicLong indices = new AtomicLong();
  private final HashedWheelTimer wheel = Daemons.wheel();
  private volatile long number = Long.MIN_VALUE;

  @Override
  public CompletableFuture<Long> await(long threshold, Duration timeout) {
    if (number >= threshold) {
      return CompletableFuture.completedFuture(number);
    }
    Waiter waiter = new Waiter(threshold, indices.getAndIncrement());
    waiter.timeout = wheel.newTimeout(waiter, timeout.toNanos(), TimeUnit.NANOSECONDS);
    waiters.add(waiter);
    if (number >= threshold) {
      waiter.complete(number); // the number advanced before the waiter was in the list
    } else if (waiter.isDone()) {
      waiters.remove(waiter); // and so did the time
    }
    return waiter;
  }

  @Override
  public int advance(long reached) {
    number = reached;
    int completed = 0;
    for (Waiter lowest : waiters) {
      if (lowest.threshold > reached) {
        break;
      }
      completed += lowest.complete(reached) ? 1 : 0;
    }
    return completed;
  }

  @Override
  public long pending() {
    return waiters.size();
  }

  @Override
  public void close() {
    List.copyOf(waiters).forEach(waiter -> waiter.cancel(false));
    wheel.stop();
  }

  private final class Waiter extends CompletableFuture<Long> implements TimerTask {
    private final long threshold;

    /** Distinguishes waiters for the same number. */
    private final long index;

    /** Published by the list. */
    private @Nullable Timeout timeout;

    Waiter(long threshold, long index) {
      this.threshold = threshold;
      this.index = index;
    }

    @Override
    public void run(Timeout fired) {
      completeExceptionally(new TimeoutException("not at " + threshold));
    }

    @Override
    public boolean complete(Long reached) {
      return super.complete(reached) && release();
    }

    @Override
    public boolean completeExceptionally(Throwable error) {
      return super.completeExceptionally(error) && release();
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
      boolean cancelled = super.cancel(mayInterruptIfRunning);
      return release() && cancelled;
    }

    private boolean release() {
      waiters.remove(this);
      Timeout started = timeout;
      if (started != null) {
        started.cancel();
      }
      return true;
    }
  }
}
