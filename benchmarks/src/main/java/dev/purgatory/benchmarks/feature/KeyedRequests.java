package dev.purgatory.benchmarks.feature;

import dev.purgatory.HeldFuture;
import dev.purgatory.Purgatory;
import java.time.Duration;

/** This library's purgatory, with the owner as another key of each request. */
final class KeyedRequests implements OwnedRequests {
  private final Purgatory<Object> purgatory = Purgatory.builder("bench").build();

  @Override
  public void hold(Integer owner, Long key, Duration timeout) {
    HeldFuture<?> unused = purgatory.until(() -> null).orTimeout(timeout).hold(key, owner);
  }

  @Override
  public int cancel(Integer owner) {
    return purgatory.cancelForKey(owner).size();
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
