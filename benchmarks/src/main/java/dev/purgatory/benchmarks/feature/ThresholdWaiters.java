package dev.purgatory.benchmarks.feature;

import dev.purgatory.Purgatory;
import dev.purgatory.Thresholds;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** This library's thresholds. */
final class ThresholdWaiters implements NumberWaiters {
  private static final String KEY = "number";

  private final Purgatory<String> purgatory = Purgatory.builder("bench", String.class).build();
  private final Thresholds<String> numbers = new Thresholds<>(purgatory);

  @Override
  public CompletableFuture<Long> await(long threshold, Duration timeout) {
    return numbers.reach(KEY, threshold).orTimeout(timeout).hold();
  }

  @Override
  public int advance(long number) {
    return numbers.advance(KEY, number);
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
