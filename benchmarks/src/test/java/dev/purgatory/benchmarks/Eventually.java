package dev.purgatory.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Waits for conditions that other threads fulfil. */
public final class Eventually {
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final long PAUSE_MILLIS = 5;

  private Eventually() {}

  /** Waits until a condition is true; fails after one minute, which suffices on busy machines. */
  public static void await(BooleanSupplier condition) throws InterruptedException {
    long end = System.nanoTime() + PATIENCE_NANOS;
    while (!condition.getAsBoolean() && System.nanoTime() - end < 0) {
      Thread.sleep(PAUSE_MILLIS);
    }
    assertThat(condition.getAsBoolean()).isTrue();
  }
}
