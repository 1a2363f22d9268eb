package dev.purgatory.benchmarks.feature;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The JDK's timeouts on stages. */
final class JdkStageTimeouts {
  private JdkStageTimeouts() {}

  /** A timeout that fails the stage itself, so everybody who waits for it. */
  static StageTimeouts onTheStage() {
    return JdkStageTimeouts::timeout;
  }

  /** A timeout that does not touch the stage, as this library's. */
  static StageTimeouts onACopy() {
    return (stage, timeout) -> timeout(stage.copy(), timeout);
  }

  private static CompletableFuture<Object> timeout(
      CompletableFuture<Object> stage, Duration timeout) {
    return stage.orTimeout(timeout.toNanos(), TimeUnit.NANOSECONDS);
  }
}
