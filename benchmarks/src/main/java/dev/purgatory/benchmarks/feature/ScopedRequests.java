package dev.purgatory.benchmarks.feature;

import dev.purgatory.HeldFuture;
import dev.purgatory.Purgatory;
import dev.purgatory.Scope;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** This library's scopes. */
final class ScopedRequests implements OwnedRequests {
  private final Purgatory<Long> purgatory = Purgatory.builder("bench").build();
  private final ConcurrentMap<Integer, Scope> scopes = new ConcurrentHashMap<>();

  @Override
  public void hold(Integer owner, Long key, Duration timeout) {
    Scope scope = scopes.computeIfAbsent(owner, none -> Scope.of("owner"));
    HeldFuture<?> unused = purgatory.until(() -> null).orTimeout(timeout).inScope(scope).hold(key);
  }

  @Override
  public int cancel(Integer owner) {
    Scope scope = scopes.remove(owner);
    if (scope == null) {
      return 0;
    }
    long before = purgatory.pending();
    scope.close();
    return (int) (before - purgatory.pending());
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
