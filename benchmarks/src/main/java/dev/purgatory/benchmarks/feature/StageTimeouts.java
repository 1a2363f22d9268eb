package dev.purgatory.benchmarks.feature;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Timeouts on stages that somebody else completes. Thread-safe. */
public interface StageTimeouts extends AutoCloseable {

  /**
   * Puts a timeout on a stage.
   *
   * @return completes as the stage does, or with a {@link java.util.concurrent.TimeoutException}
   */
  CompletableFuture<Object> timeout(CompletableFuture<Object> stage, Duration timeout);

  @Override
  default void close() {}
}
