package dev.purgatory.benchmarks.feature;

import dev.purgatory.Purgatory;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** This library's purgatory with an ordinary key, which evaluates all waiters. */
final class SignalledWaiters implements NumberWaiters {
  private static final String KEY = "number";

  private final Purgatory<String> purgatory = Purgatory.builder("bench").build();
  private volatile long number = Long.MIN_VALUE;

  @Override
  public CompletableFuture<Long> await(long threshold, Duration timeout) {
    return purgatory
        .until(
            () -> {
              long reached = number;
              return reached >= threshold ? reached : null;
            })
        .orTimeout(timeout)
        .hold(KEY);
  }

  @Override
  public int advance(long reached) {
    number = reached;
    return purgatory.signal(KEY);
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
