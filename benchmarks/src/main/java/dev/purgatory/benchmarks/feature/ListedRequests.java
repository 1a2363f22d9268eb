package dev.purgatory.benchmarks.feature;

import dev.purgatory.HeldFuture;
import dev.purgatory.Purgatory;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** This library's purgatory, and a set of requests for each owner that cancels them one by one. */
final class ListedRequests implements OwnedRequests {
  private final Purgatory<Long> purgatory = Purgatory.builder("bench").build();
  private final ConcurrentMap<Integer, Set<HeldFuture<?>>> byOwner = new ConcurrentHashMap<>();

  @Override
  public void hold(Integer owner, Long key, Duration timeout) {
    HeldFuture<?> request = purgatory.until(() -> null).orTimeout(timeout).hold(key);
    Set<HeldFuture<?>> owned =
        byOwner.computeIfAbsent(owner, none -> ConcurrentHashMap.newKeySet());
    owned.add(request);
    CompletableFuture<?> unused = request.whenComplete((answer, error) -> owned.remove(request));
  }

  @Override
  public int cancel(Integer owner) {
    Set<HeldFuture<?>> owned = byOwner.remove(owner);
    int cancelled = 0;
    for (HeldFuture<?> request : owned == null ? Set.<HeldFuture<?>>of() : owned) {
      if (request.cancel(false)) {
        cancelled++;
      }
    }
    return cancelled;
  }

  @Override
  public long pending() {
    return purgatory.pending();
  }

  @Override
  public void close() {
    purgatory.close();
  }
}
