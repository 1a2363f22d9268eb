package dev.purgatory.benchmarks.feature;

import dev.purgatory.Purgatory;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** This library's limits. */
final class OwnLimits implements StageLimits {
  private final Purgatory<String> limits = Purgatory.builder("bench").build();

  @Override
  public CompletableFuture<Object> limit(CompletableFuture<Object> stage, Duration timeout) {
    return limits.limit(stage, timeout);
  }

  @Override
  public void close() {
    limits.close();
  }
}
