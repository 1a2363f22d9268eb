package dev.purgatory.benchmarks.feature;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Time limits on stages that somebody else completes. Thread-safe. */
public interface StageLimits extends AutoCloseable {

  /**
   * Limits a stage.
   *
   * @return completes as the stage does, or with a {@link java.util.concurrent.TimeoutException}
   */
  CompletableFuture<Object> limit(CompletableFuture<Object> stage, Duration timeout);

  @Override
  default void close() {}
}
