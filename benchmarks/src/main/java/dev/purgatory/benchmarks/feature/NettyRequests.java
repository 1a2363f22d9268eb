package dev.purgatory.benchmarks.feature;

import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import io.netty.util.TimerTask;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A map of futures by key, a set of them for each owner, and Netty's wheel. */
final class NettyRequests implements OwnedRequests {
  private final ConcurrentMap<Long, Request> byKey = new ConcurrentHashMap<>();
  private final ConcurrentMap<Integer, Set<Request>> byOwner = new ConcurrentHashMap<>();
  private final HashedWheelTimer wheel = Daemons.wheel();

  @Override
  public void hold(Integer owner, Long key, Duration timeout) {
    Set<Request> owned = byOwner.computeIfAbsent(owner, none -> ConcurrentHashMap.newKeySet());
    Request request = new Request(key, owned);
    request.timeout = wheel.newTimeout(request, timeout.toNanos(), TimeUnit.NANOSECONDS);
    byKey.put(key, request);
    owned.add(request);
    if (request.isDone()) {
      request.release(); // it timed out before it was in the map
    }
  }

  @Override
  public int cancel(Integer owner) {
    Set<Request> owned = byOwner.remove(owner);
    int cancelled = 0;
    for (Request request : owned == null ? Set.<Request>of() : owned) {
      if (request.cancel(false)) {
        cancelled++;
      }
    }
    return cancelled;
  }

  @Override
  public long pending() {
    return byKey.size();
  }

  @Override
  public void close() {
    wheel.stop();
  }

  private final class Request extends CompletableFuture<Object> implements TimerTask {
    private final Long key;
    private final Set<Request> owned;

    /** Published by the maps. */
    private @Nullable Timeout timeout;

    Request(Long key, Set<Request> owned) {
      this.key = key;
      this.owned = owned;
    }

    @Override
    public void run(Timeout fired) {
      if (completeExceptionally(new TimeoutException("no answer on " + key))) {
        release();
      }
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
      boolean cancelled = super.cancel(mayInterruptIfRunning);
      release();
      return cancelled;
    }

    private void release() {
      byKey.remove(key, this);
      owned.remove(this);
      Timeout started = timeout;
      if (started != null) {
        started.cancel();
      }
    }
  }
}
