package dev.purgatory.examples;

import dev.purgatory.Purgatory;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Put a timeout on any stage: a quote within 200 ms, or else the list price. */
public final class StageTimeout implements AutoCloseable {
  // sample: stage-timeout
  private final Purgatory<String> quotes;

  CompletableFuture<Integer> price(CompletionStage<Integer> quote) {
    return quotes.timeout(quote, Duration.ofMillis(200), this::listPrice);
  }

  // end

  StageTimeout() {
    this(Purgatory.builder("quotes", String.class).build());
  }

  StageTimeout(Purgatory<String> quotes) {
    this.quotes = quotes;
  }

  private int listPrice() {
    return 100;
  }

  long pending() {
    return quotes.pending();
  }

  @Override
  public void close() {
    quotes.close();
  }

  /**
   * Runs the example: one quote arrives in time, and one never does.
   *
   * @param args ignored
   */
  public static void main(String... args) {
    try (StageTimeout shop = new StageTimeout()) {
      System.out.println(shop.price(CompletableFuture.completedFuture(90)).join());
      System.out.println(shop.price(new CompletableFuture<>()).join());
    }
  }
}
