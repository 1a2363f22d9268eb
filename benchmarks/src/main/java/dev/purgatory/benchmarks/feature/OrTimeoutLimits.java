package dev.purgatory.benchmarks.feature;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The JDK's limits. */
final class OrTimeoutLimits {
  private OrTimeoutLimits() {}

  /** A limit that fails the stage itself, so everybody who waits for it. */
  static StageLimits onTheStage() {
    return OrTimeoutLimits::limit;
  }

  /** A limit that does not touch the stage, as this library's. */
  static StageLimits onACopy() {
    return (stage, timeout) -> limit(stage.copy(), timeout);
  }

  private static CompletableFuture<Object> limit(
      CompletableFuture<Object> stage, Duration timeout) {
    return stage.orTimeout(timeout.toNanos(), TimeUnit.NANOSECONDS);
  }
}
