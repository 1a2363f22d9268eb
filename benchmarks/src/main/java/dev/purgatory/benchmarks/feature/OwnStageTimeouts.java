package dev.purgatory.benchmarks.feature;

import dev.purgatory.Purgatory;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** This library's timeouts on stages. */
final class OwnStageTimeouts implements StageTimeouts {
  private final Purgatory<String> purgatory = Purgatory.builder("bench", String.class).build();

  @Override
  public CompletableFuture<Object> timeout(CompletableFuture<Object> stage, Duration timeout) {
    return purgatory.timeout(stage, timeout);
  }

  @Override
  public void close() {
    purgatory.close();
  }
}
