package dev.purgatory.benchmarks.feature;

import dev.purgatory.benchmarks.contender.Daemons;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** A map of futures with timeouts on a ScheduledThreadPoolExecutor. */
final class ThreadPoolReplies extends MapReplies<Future<?>> {
  private final ScheduledThreadPoolExecutor heap;

  ThreadPoolReplies() {
    this(Daemons.heap());
  }

  private ThreadPoolReplies(ScheduledThreadPoolExecutor heap) {
    this.heap = heap;
  }

  @Override
  public ReplyTable another() {
    return new ThreadPoolReplies(heap);
  }

  @Override
  Future<?> start(Pending<Future<?>> reply, long nanos) {
    return heap.schedule((Runnable) reply, nanos, TimeUnit.NANOSECONDS);
  }

  @Override
  void cancel(Future<?> timeout) {
    timeout.cancel(false);
  }

  @Override
  public void close() {
    super.close();
    heap.shutdownNow();
  }
}
