package dev.purgatory.examples;

import dev.purgatory.Purgatory;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Put a time limit on any stage: a quote within 200 ms, or else the list price. */
public final class LimitedStage implements AutoCloseable {
  // sample: limit
  private final Purgatory<String> limits;

  CompletableFuture<Integer> price(CompletionStage<Integer> quote) {
    return limits.limit(quote, Duration.ofMillis(200), this::listPrice);
  }

  // end

  LimitedStage() {
    this(Purgatory.builder("limits").build());
  }

  LimitedStage(Purgatory<String> limits) {
    this.limits = limits;
  }

  private int listPrice() {
    return 100;
  }

  long pending() {
    return limits.pending();
  }

  @Override
  public void close() {
    limits.close();
  }

  /**
   * Runs the example: one quote arrives in time, and one never does.
   *
   * @param args ignored
   */
  public static void main(String... args) {
    try (LimitedStage shop = new LimitedStage()) {
      System.out.println(shop.price(CompletableFuture.completedFuture(90)).join());
      System.out.println(shop.price(new CompletableFuture<>()).join());
    }
  }
}
